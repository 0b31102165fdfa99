import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const box = (name: string) => page.getByRole('combobox', { name });
const button = (name: string) => page.getByRole('button', { name, exact: true });

const listening = { mode: 'listen', speak: 'en', hear: ['es'], voiceOf: 'es', soundOpen: true } as const;

test('to listen, my language and theirs are named so, and no microphone is asked for', async () => {
	const shown = await renderWindow(
		createFakeWindow({
			settings: { ...listening, hear: ['es'] },
			sound: { microphones: [], listed: true, permission: 'denied' },
		}),
	);
	await expect.element(box('I understand')).toHaveValue('English');
	await expect.element(box('They speak')).toHaveValue('Español · Spanish');
	// The spoken language comes first, as in the captions below.
	const left = (name: string) => box(name).element().getBoundingClientRect().left;
	expect(left('They speak')).toBeLessThan(left('I understand'));
	await expect.element(page.getByRole('button', { name: /^Microphone/ })).not.toBeInTheDocument();
	// There is nothing to mute; what a key has muted can be heard again.
	const mute = page.getByRole('button', { name: 'Mute what you listen to', exact: true });
	expect(mute.elements()).toEqual([]);
	shown.conversation.show({ muted: true });
	await expect.element(mute).toBeVisible();
	shown.conversation.show({ muted: false });
	await expect.element(mute).not.toBeInTheDocument();
	expect(await axeFindings()).toEqual([]);
	await button('Start').click();
	expect(shown.conversation.calls.find(([name]) => name === 'start')?.[1]).toMatchObject({ mode: 'listen' });
});

test('their language may be found out, and is chosen again', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { ...listening, hear: ['es'] } }));
	const values = () => shown.parts.settings.store.getState().values;
	await box('They speak').click();
	await box('They speak').fill('Detect');
	await page.getByRole('option').filter({ hasText: 'Detect language' }).first().click();
	expect(values().listenDetect).toBe(true);
	await expect.element(button('Swap languages')).toBeDisabled();
	await expect.element(page.getByText(/^Between/)).toBeVisible();
	await box('They speak').click();
	await box('They speak').fill('French');
	await page.getByRole('option').filter({ hasText: 'French' }).first().click();
	expect(values()).toMatchObject({ listenDetect: false, hear: ['fr'], voiceOf: 'fr' });
});

test('while it is listened to, the detected language stands below the box and can be put right', async () => {
	const shown = await renderWindow(
		createFakeWindow({
			settings: { ...listening, listenDetect: true, detectable: ['en', 'es'], hear: ['es'] },
		}),
	);
	await expect.element(page.getByText('Detecting…').first()).not.toBeInTheDocument();
	shown.conversation.show({ phase: 'live' });
	await expect.element(page.getByText('Detecting…').first()).toBeVisible();
	shown.legs.incoming.conversation.putRow({ ...captionRow(0, ['en', 'Hello'], []), leg: 'incoming' });
	await page.getByRole('button', { name: /^Detected: .English/ }).click();
	await page.getByRole('menuitem', { name: 'Español · Spanish' }).click();
	expect(shown.legs.theirs.store.getState().corrected).toBe('es');
	await expect.element(page.getByRole('button', { name: /^They speak .Español/ })).toBeVisible();
	await expect.element(page.getByRole('menuitem')).not.toBeInTheDocument();
	expect(await axeFindings()).toEqual([]);
});

const picker = () => page.getByRole('button', { name: /Sound to listen to/ });

test('one program is listened to, by its name, and again everything', async () => {
	const shown = await renderWindow(
		createFakeWindow({
			settings: { ...listening, hear: ['es'] },
			systemSound: {
				applications: [
					{ name: 'Firefox', playing: true },
					{ name: 'VLC', playing: false },
				],
			},
		}),
	);
	const chosen = () => shown.parts.settings.store.getState().values.systemSound;
	await picker().click();
	await page.getByRole('option', { name: 'Firefox (playing)' }).click();
	expect(chosen()).toBe('Firefox');
	await picker().click();
	await page.getByRole('option', { name: 'Everything this computer plays' }).click();
	expect(chosen()).toBe(null);
});

test('that nothing plays is said, and a program that has gone stays chosen', async () => {
	await renderWindow(createFakeWindow({ settings: { ...listening, hear: ['es'], systemSound: 'Zoom' } }));
	await expect.element(picker()).toMatchTextContent('Zoom (not running)');
	await expect.element(page.getByText('No other program is playing now.')).toBeVisible();
});

test.each([
	['the sound system does not answer', { problem: { kind: 'system-sound-failed', reason: '' } }],
	['On this system, Dragoman cannot hear', { way: 'none' }],
] as const)('why it cannot be heard is said: %s', async (words, systemSound) => {
	await renderWindow(
		createFakeWindow({ settings: { ...listening, mode: 'meeting', hear: ['es'] }, systemSound }),
	);
	await expect.element(page.getByText(new RegExp(words))).toBeVisible();
});

/** Listening runs, and only zeros have come for a while. */
async function hearZeros(
	systemSound: NonNullable<Parameters<typeof createFakeWindow>[0]>['systemSound'],
	wanted: string | null = null,
) {
	const shown = await renderWindow(
		createFakeWindow({
			settings: { ...listening, hear: ['es'], systemSound: wanted },
			...(systemSound ? { systemSound } : {}),
		}),
	);
	shown.legs.incoming.conversation.show({ phase: 'live' });
	await expect
		.element(page.getByText(/No sound comes|only silence|Nothing is playing\./))
		.not.toBeInTheDocument();
	shown.parts.systemSound.zeros.setState({ zeros: true });
	return shown;
}

test('that nothing is playing is told apart from a player out of which only silence comes', async () => {
	const shown = await hearZeros({ applications: [{ name: 'VLC', playing: false }] });
	await expect.element(page.getByText(/^Nothing is playing\./)).toBeVisible();
	shown.announce('system-sound.changed', {
		revision: 2,
		way: 'recorder',
		problem: null,
		applications: [{ name: 'VLC', playing: true }],
	});
	await expect.element(page.getByText(/^A program is playing, but there is only silence/)).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	shown.parts.systemSound.zeros.setState({ zeros: false });
	await expect.element(page.getByText(/there is only silence/)).not.toBeInTheDocument();
});

test('a program that is gone is named, and everything is listened to instead', async () => {
	const shown = await hearZeros({ applications: [{ name: 'VLC', playing: true }] }, 'Zoom');
	await expect.element(page.getByText(/Zoom.? is not running\./)).toBeVisible();
	await button('Listen to everything').click();
	expect(shown.parts.settings.store.getState().values.systemSound).toBe(null);
});

test('a dead loopback is explained with the leave it needs, and can be put away', async () => {
	await hearZeros({ way: 'loopback' });
	const words = page.getByText(/allow Dragoman to record system audio/);
	await expect.element(words).toBeVisible();
	await button('Dismiss').click();
	await expect.element(words).not.toBeInTheDocument();
});

test('what is listened to is muted by its own name', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { ...listening, hear: ['es'] } }));
	shown.conversation.show({ phase: 'live', muted: true });
	await expect.element(page.getByTestId('phase')).toHaveTextContent('Live, sound muted');
});
