import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect, test } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import {
	activity,
	button,
	captionsRegion,
	lastPress,
	loudness,
	recorded,
	until,
	untilPhase,
	untilVoice,
} from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';

const sandbox = await startSandbox();
const apps = new Set<Launched>();

afterAll(() => sandbox.close());
afterEach(async () => {
	await Promise.all([...apps].map((app) => app.kill('SIGKILL')));
	apps.clear();
});

/** The app with the sandbox as its service, and nobody who speaks. */
async function open(
	settings: Readonly<Record<string, unknown>>,
	{ tts, key }: { readonly tts: string; readonly key: string } = sandbox.addresses,
): Promise<Launched> {
	const { api, s2s } = sandbox.addresses;
	const app = await launch({
		settings: { interfaceLanguage: 'en', warmIdleS: 0, ...settings },
		env: {
			DRAGOMAN_API_URL: api,
			DRAGOMAN_API_KEY: key,
			DRAGOMAN_S2S_URL: s2s,
			DRAGOMAN_TTS_URL: tts,
		},
	});
	apps.add(app);
	return app;
}

async function say(page: Page, box: string, text: string): Promise<number> {
	const field = page.getByRole('textbox', { name: box });
	await field.fill(text);
	await field.press('Enter');
	return lastPress(page);
}

const quiet = async (page: Page) => (await loudness(page, 'heard', 700)) < 0.01;

test('what is typed is heard, a cancelled text falls silent, and no session was needed', async () => {
	const app = await open({ mode: 'type', typedLanguage: 'es' });
	const { page } = app;
	const typed = await say(page, 'What to say', 'Buenos días. Mucho gusto en conocerle.');
	await untilVoice(page, typed, 300);
	const rows = page.getByRole('listitem');
	await rows.getByText('Spoken', { exact: true }).waitFor({ timeout: 30_000 });
	await until('silence after the last word', () => quiet(page));

	const story = 'Había una vez una historia tan larga que nadie la escuchó hasta el final. '.repeat(8);
	const second = await say(page, 'What to say', story);
	await say(page, 'What to say', 'Otra cosa.');
	await untilVoice(page, second, 300);
	await rows.nth(1).getByRole('button', { name: 'Cancel' }).click();
	const cancelled = await lastPress(page);
	await rows.nth(1).getByText('Cancelled', { exact: true }).waitFor();
	await rows.nth(2).getByText('Spoken', { exact: true }).waitFor({ timeout: 30_000 });
	await until('silence at the end', () => quiet(page));
	const spans = activity(await recorded(page, 'heard', cancelled));
	const heardMs = spans.reduce((sum, span) => sum + span.toMs - span.fromMs, 0);
	// The story alone takes half a minute.
	expect(heardMs).toBeLessThan(8000);
	// The socket's own; nothing was prepared or opened beside it.
	expect(sandbox.openSessions()).toHaveLength(1);
	expect(await app.close()).toBe(143);
	await until('no session is left', () => sandbox.openSessions().length === 0);
	expect(app.log()).not.toContain(sandbox.addresses.key);
	expect(app.log()).not.toContain('historia');
}, 150_000);

test('what cannot be spoken says why, with the way out, and what passes by itself is waited for', async () => {
	const { tts, key } = sandbox.addresses;
	const off = await open({ mode: 'type' }, { tts: '', key });
	await say(off.page, 'What to say', 'Hello?');
	await off.page
		.getByRole('listitem')
		.getByText('Not spoken. There is no address', { exact: false })
		.waitFor();
	await button(off.page, 'Open settings').click();
	await off.page.getByRole('textbox', { name: 'Voice socket' }).waitFor();
	expect(await off.close()).toBe(143);

	const shaky = await open({ mode: 'type' }, { tts, key: `${key}+tts-unavailable:1` });
	const typed = await say(shaky.page, 'What to say', 'Hello again.');
	await untilVoice(shaky.page, typed, 300);
	await shaky.page.getByRole('listitem').getByText('Spoken', { exact: true }).waitFor({ timeout: 30_000 });
	expect(await shaky.close()).toBe(143);
}, 120_000);

test.each(['webrtc', 'websocket'])(
	'in a live conversation over %s a typed sentence is a row of its own and is heard',
	async (transport) => {
		const app = await open({ transport });
		const { page } = app;
		await untilPhase(page, 'Ready');
		// What is heard is what was typed.
		await button(page, 'Mute microphone').click();
		await button(page, 'Start').click();
		await untilPhase(page, 'Live, microphone muted');
		await button(page, 'Type instead of speaking').click();
		const typed = await say(page, 'Type instead of speaking…', 'Zebras wear stripes.');
		const rows = captionsRegion(page).getByRole('listitem');
		const row = rows.filter({ hasText: 'Zebras wear stripes.' });
		await row.getByText('Typed', { exact: true }).waitFor();
		await row.locator('[data-kind="translation"][data-final="true"]').waitFor({ timeout: 20_000 });
		await untilVoice(page, typed, 300);
		expect(await row.count()).toBe(1);
		expect(await row.locator('[data-kind="source"]').textContent()).toBe('Zebras wear stripes.');
		// A ready phrase goes the same way, at a press of its key, in the language of those who hear it.
		await button(page, 'Stop').focus();
		await page.keyboard.press('1');
		const phrase = rows.filter({ hasText: 'Un momento, por favor.' });
		await phrase.getByText('Typed', { exact: true }).waitFor();
		await phrase.locator('[data-kind="translation"][data-final="true"]').waitFor({ timeout: 20_000 });
		await button(page, 'Stop').click();
		await button(page, 'Start').waitFor({ timeout: 45_000 });
		expect(await app.close()).toBe(143);
	},
	150_000,
);

test('a conversation in which nobody speaks pauses by itself, and goes on at a press', async () => {
	const app = await open({ pauseWhenQuietS: 6 });
	const { page } = app;
	await untilPhase(page, 'Ready');
	await button(page, 'Mute microphone').click();
	await button(page, 'Start').click();
	const said = page.getByText('Paused, because nobody has spoken for', { exact: false });
	await said.waitFor({ timeout: 30_000 });
	await untilPhase(page, 'Paused');
	await button(page, 'Resume').first().click();
	await untilPhase(page, 'Live, microphone muted');
	await said.waitFor({ state: 'detached' });
	await button(page, 'Stop').click();
	await button(page, 'Start').waitFor({ timeout: 45_000 });
	expect(await app.close()).toBe(143);
}, 120_000);
