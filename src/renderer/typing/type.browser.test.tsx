import { describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Problem } from '#shared/problem.ts';
import { modelEntries } from '#test/support/fake-pages.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const box = () => page.getByRole('textbox', { name: /^What to say in/ });
const list = () => page.getByRole('region', { name: 'Typed texts, oldest first' });
const log = () => page.getByRole('status', { name: 'Typed texts' });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const lost: Problem = { kind: 'connection-lost', reason: 'closed 1006' };

/** Opens the mode's page, in German with the low voice. */
async function open(main: FakeMain = {}, width?: number, height?: number, field = box) {
	const settings = { mode: 'type', typedLanguage: 'de', ...main.settings } as const;
	const shown = await renderWindow(createFakeWindow({ ...main, settings }), width, height);
	await expect.element(field()).toBeVisible();
	return shown;
}

async function type(text: string): Promise<void> {
	await userEvent.fill(box(), text);
	await userEvent.keyboard('{Enter}');
}

function rows(): readonly (string | undefined)[][] {
	return [...document.querySelectorAll<HTMLElement>('[data-state]')].map((row) => [
		row.querySelector('p')?.textContent ?? '',
		row.dataset['state'],
	]);
}

test('what is typed is spoken at Enter, and its states are shown and announced', async () => {
	const { speaking } = await open();
	await type('Guten Tag');
	await expect.element(box()).toHaveValue('');
	expect(speaking[0]?.voice).toEqual({ language: 'de', voiceId: 'default_low' });
	expect(rows()).toEqual([['Guten Tag', 'waiting']]);
	speaking[0]?.tell({ type: 'opened' });
	await expect.poll(rows).toEqual([['Guten Tag', 'making']]);
	expect(speaking[0]?.did).toEqual(['speak t1 Guten Tag']);
	speaking[0]?.tell({ type: 'sounding', id: 't1' });
	await expect.element(log()).toHaveTextContent('Speaking: Guten Tag');
	expect(log().element().querySelector('[lang=de]')?.textContent).toBe('Guten Tag');
	speaking[0]?.tell({ type: 'played', id: 't1' });
	await expect.element(log()).toHaveTextContent('Spoken: Guten Tag');
	expect(rows()).toEqual([['Guten Tag', 'spoken']]);
});

test('the field says which language is spoken, as typed, and can be typed in at once', async () => {
	const { parts } = await open();
	await expect.element(box()).toHaveFocus();
	await expect.element(box()).toHaveAccessibleName(/German/);
	await expect.element(box()).toHaveAccessibleDescription(/Spoken as typed; a conversation translates/);
	await parts.settings.write({ typedLanguage: 'fr' });
	await expect.element(box()).toHaveAccessibleName(/French/);
});

describe('on this computer', () => {
	const account = { service: 'local', sandbox: 'running' } as const;
	const from = () => page.getByRole('combobox', { name: 'I type in' });
	const text = () => page.getByRole('textbox', { name: /Your text in .*English/ });
	const translator = 'mozilla-en-de';

	test('a text is translated before it is spoken, and both are shown', async () => {
		const { speaking } = await open({ account, models: { models: modelEntries('installed') } });
		await expect.element(from()).toHaveValue('The spoken language');
		await expect.element(box()).toHaveAccessibleDescription(/^Spoken as typed\. Enter/);
		await userEvent.fill(from(), 'engl');
		await userEvent.keyboard('{ArrowDown}{Enter}');
		await expect.element(text()).toHaveAccessibleDescription(/Translated into .*German.* and spoken/);
		await expect.element(text()).toHaveAttribute('lang', 'en');
		await userEvent.fill(text(), 'Good day');
		await userEvent.keyboard('{Enter}');
		const voice = { language: 'de', voiceId: 'default_low', from: 'en' };
		await expect.poll(() => speaking[0]?.voice).toEqual(voice);
		speaking[0]?.tell({ type: 'opened' });
		speaking[0]?.tell({ type: 'translated', id: 't1', text: 'Guten Tag' });
		const row = list().getByRole('listitem');
		await expect.element(row.getByText('Guten Tag')).toHaveAttribute('lang', 'de');
		await expect.element(row.getByText('Good day')).toHaveAttribute('lang', 'en');
		expect(await axeFindings()).toEqual([]);
		await userEvent.click(from());
		await page.getByRole('option', { name: 'The spoken language' }).click();
		await expect.element(box()).toHaveAttribute('lang', 'de');
	});

	test('a translated text is said again here only: a service would speak it untranslated', async () => {
		const settings = { typedFrom: 'en' };
		const models = { models: modelEntries('installed') };
		const shown = await open({ account, settings, models }, undefined, undefined, text);
		const { typing } = shown.parts;
		typing.say('Good day', { language: 'de', voiceId: 'default_low', from: 'en' });
		typing.say('Guten Tag', { language: 'de', voiceId: 'default_low' });
		typing.cancelAll();
		const again = (of: string) => list().getByRole('listitem').filter({ hasText: of }).getByRole('button');
		await expect.element(again('Good day')).toHaveTextContent('Try again');
		const { status } = shown.parts.account.store.getState();
		shown.announce('account.changed', { ...status, revision: status.revision + 1, service: 'service' });
		await expect.element(again('Good day')).not.toBeInTheDocument();
		await expect.element(again('Guten Tag')).toHaveTextContent('Try again');
	});

	test('the translator that is missing is offered, and nothing is typed in vain', async () => {
		const shown = await open(
			{
				account,
				settings: { typedFrom: 'en' },
				models: { models: modelEntries('installed', { [translator]: { state: 'available' } }) },
			},
			undefined,
			undefined,
			text,
		);
		await expect
			.element(page.getByText(/Not installed yet: translation \(.*English.* → .*German.*\)/))
			.toBeVisible();
		await userEvent.fill(text(), 'Good day');
		await expect.element(button('Speak')).toBeDisabled();
		await page.getByRole('button', { name: /^Download/ }).click();
		expect(shown.asked).toContainEqual(['models.add', { ids: [translator] }]);
	});

	test('with a service a text is spoken as typed, whatever was chosen here', async () => {
		const { speaking } = await open({ settings: { typedFrom: 'en' } });
		expect(from().query()).toBeNull();
		await type('Guten Tag');
		expect(speaking[0]?.voice).toEqual({ language: 'de', voiceId: 'default_low' });
	});
});

test('the mode that is chosen with the keyboard keeps it', async () => {
	const { parts } = await renderWindow(createFakeWindow());
	const captions = page.getByRole('radio', { name: 'Captions only' });
	await parts.settings.write({ mode: 'captions' });
	captions.element().focus();
	await userEvent.keyboard('{ArrowRight}');
	await expect.element(box()).toBeVisible();
	await expect.element(box()).not.toHaveFocus();
});

test('nothing leads to captions that are not there', async () => {
	const { parts } = await open();
	await expect.element(box()).toBeVisible();
	const skip = page.getByRole('link', { name: 'Skip to the captions' });
	expect(skip.query()).toBeNull();
	await parts.settings.write({ mode: 'solo' });
	await expect.element(skip).toBeInTheDocument();
	await expect.poll(() => document.querySelector('#captions')).not.toBeNull();
});

test('what is being typed is still there after a look at the settings', async () => {
	const { parts } = await open();
	await userEvent.fill(box(), 'Guten Abend');
	parts.navigation.go('settings');
	await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
	parts.navigation.go('live');
	await expect.element(box()).toHaveValue('Guten Abend');
});

test('Shift and Enter begin a new line, and an empty text is nothing', async () => {
	const { speaking } = await open();
	await userEvent.click(box());
	await userEvent.keyboard('   {Enter}');
	expect(rows()).toEqual([]);
	await userEvent.fill(box(), 'Eins');
	await userEvent.keyboard('{Shift>}{Enter}{/Shift}Zwei');
	expect([rows(), speaking.length]).toEqual([[], 0]);
	await userEvent.keyboard('{Enter}');
	expect(rows()).toEqual([['Eins\nZwei', 'waiting']]);
});

test('one can be cancelled, or all; both drop what is being said', async () => {
	const { speaking } = await open();
	for (const text of ['Eins', 'Zwei', 'Drei']) await type(text);
	speaking[0]?.tell({ type: 'opened' });
	await userEvent.click(
		page.getByRole('listitem').filter({ hasText: 'Zwei' }).getByRole('button', { name: 'Cancel' }),
	);
	expect(rows().map(([, state]) => state)).toEqual(['making', 'cancelled', 'waiting']);
	await userEvent.click(button('Cancel all'));
	expect(rows().map(([, state]) => state)).toEqual(['cancelled', 'cancelled', 'cancelled']);
	expect(speaking[0]?.did).toEqual(['speak t1 Eins', 'drop t1']);
	// The button is gone, but focus is not lost.
	await expect.element(box()).toHaveFocus();
});

test('a failure says why, and can be tried again; what waits goes on when asked', async () => {
	const { speaking } = await open();
	for (const text of ['Eins', 'Zwei']) await type(text);
	speaking[0]?.tell({ type: 'opened' });
	speaking[0]?.tell({ type: 'sounding', id: 't1' });
	speaking[0]?.tell({ type: 'failed', id: 't1', problem: lost, partly: true });
	const why = 'Cut off. The connection was lost and could not be restored.';
	await expect.element(list().getByText(why)).toBeVisible();
	await expect
		.element(page.getByRole('alert').getByText('1 text is waiting.', { exact: false }))
		.toBeVisible();
	await userEvent.click(button('Continue'));
	await expect.poll(rows).toEqual([
		['Eins', 'failed'],
		['Zwei', 'making'],
	]);
	speaking[0]?.tell({ type: 'played', id: 't2' });
	await userEvent.click(button('Try again'));
	expect(speaking[0]?.did).toEqual(['speak t1 Eins', 'speak t3 Zwei']);
	speaking[0]?.tell({ type: 'played', id: 't3' });
	await expect.poll(() => speaking[0]?.did.at(-1)).toBe('speak t4 Eins');
});

test('that there is no key is said before anything is typed', async () => {
	await open({ key: { present: false, source: 'none', lastFour: '' } });
	await expect.element(button('Enter the key')).toBeVisible();
});

test('does not report a key as missing that was given for another address', async () => {
	await open({ key: { present: false, source: 'none', lastFour: '', elsewhere: true } });
	await expect.element(page.getByText(/was given for another address/)).toBeVisible();
	expect(page.getByText('There is no API key yet.').query()).toBeNull();
	await expect.element(button('Enter the key')).toBeVisible();
});

test.each([
	{ kind: 'no-credit', detail: '' },
	{ kind: 'socket-off', socket: 'tts' },
] as const)('what waits for something put right elsewhere goes on when asked: $kind', async (problem) => {
	const { speaking } = await open();
	for (const text of ['Eins', 'Zwei']) await type(text);
	speaking[0]?.tell({ type: 'lost', problem });
	await expect.element(button('Open settings')).toBeVisible();
	await userEvent.click(button('Continue'));
	await expect.poll(() => speaking.length).toBe(2);
	speaking[1]?.tell({ type: 'opened' });
	expect(speaking[1]?.did).toEqual(['speak t3 Zwei']);
});

test('a missing key is said with its way out', async () => {
	const { speaking, parts } = await open();
	await type('Eins');
	speaking[0]?.tell({ type: 'lost', problem: { kind: 'api-key-missing' } });
	await userEvent.click(button('Enter the key'));
	expect(parts.navigation.store.getState()).toMatchObject({ page: 'settings', place: 'key' });
});

test('what is over can be said again, cleared, and brought back', async () => {
	const { speaking } = await open();
	await type('Eins');
	speaking[0]?.tell({ type: 'opened' });
	speaking[0]?.tell({ type: 'played', id: 't1' });
	await userEvent.click(button('Say again'));
	speaking[0]?.tell({ type: 'played', id: 't3' });
	await expect.poll(rows).toEqual([
		['Eins', 'spoken'],
		['Eins', 'spoken'],
	]);
	await userEvent.click(button('Clear finished texts'));
	expect(rows()).toEqual([]);
	await userEvent.click(button('Bring back 2 texts'));
	await expect.poll(() => rows().length).toBe(2);
});

test('language and voice are chosen for what is typed next, each with a stream of its own', async () => {
	const { speaking, asked } = await open({ settings: { voices: { de: 'my-own-voice' } } });
	await expect.element(page.getByRole('button', { name: /Voice .?my-own-voice/ })).toBeVisible();
	await type('Eins');
	await userEvent.fill(page.getByRole('combobox', { name: 'Spoken language' }), 'french (can');
	await expect.element(page.getByRole('option')).toBeVisible();
	await userEvent.keyboard('{Enter}');
	await expect.poll(() => asked.at(-1)).toEqual(['settings.write', { typedLanguage: 'fr-ca' }]);
	await type('Deux');
	speaking[0]?.tell({ type: 'opened' });
	speaking[0]?.tell({ type: 'played', id: 't1' });
	expect(speaking.map(({ voice }) => voice)).toEqual([
		{ language: 'de', voiceId: 'my-own-voice' },
		{ language: 'fr-ca', voiceId: 'default_low' },
	]);
	expect(speaking[0]?.did.at(-1)).toBe('close');
});

test('the limit is said before it is met, and what is longer is not taken', async () => {
	await open();
	await userEvent.fill(box(), 'a'.repeat(4990));
	await expect.element(page.getByText('10 characters left')).toBeVisible();
	await userEvent.fill(box(), 'a'.repeat(5001));
	await userEvent.keyboard('{Enter}');
	await expect.element(page.getByText('Too long: at most 5000 characters at once.')).toBeVisible();
	expect(rows()).toEqual([]);
	await expect.element(button('Speak')).toBeDisabled();
});

test('what is typed stands on the side of its language, whatever the side of the window', async () => {
	const settings = { mode: 'type', typedLanguage: 'de', interfaceLanguage: 'ar' } as const;
	await renderWindow(createFakeWindow({ settings }));
	await expect.poll(() => document.querySelector('textarea')).not.toBeNull();
	const area = document.querySelector('textarea');
	expect([document.documentElement.dir, area?.dir, area?.lang]).toEqual(['rtl', 'ltr', 'de']);
});

test.each([
	[1000, 700],
	[320, 640],
])('nothing is wrong for axe, and nothing is cut off, at %i × %i', async (width, height) => {
	const { speaking } = await open({}, width, height);
	for (const text of ['Eins', 'Zwei mit einem sehr langen Donaudampfschifffahrtsgesellschaftswort', 'Drei'])
		await type(text);
	speaking[0]?.tell({ type: 'opened' });
	speaking[0]?.tell({ type: 'failed', id: 't1', problem: lost, partly: false });
	await expect.element(button('Continue')).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
	await expect.element(box()).toBeVisible();
});

test('that a text was not spoken is announced, with the reason', async () => {
	const { speaking } = await open();
	await type('Eins');
	speaking[0]?.tell({ type: 'opened' });
	speaking[0]?.tell({ type: 'failed', id: 't1', problem: lost, partly: false });
	await expect.element(log()).toMatchTextContent(/^Not spoken\. The connection was lost.*: Eins/);
});

test('a voice that is chosen here leaves other languages theirs', async () => {
	const { parts } = await open({ settings: { voices: { es: 'my-own-voice' } } });
	await userEvent.click(page.getByRole('button', { name: /^Low Voice$/ }));
	await userEvent.click(page.getByRole('option', { name: 'High', exact: true }));
	await expect
		.poll(() => parts.settings.store.getState().values.voices)
		.toEqual({ es: 'my-own-voice', de: 'default_high' });
});
