import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const box = () => page.getByRole('textbox', { name: 'Type instead of speaking…' });
const menu = () => page.getByRole('button', { name: 'Ready phrases' });
const items = () =>
	page
		.getByRole('menuitem')
		.elements()
		.map((one) => one.textContent?.trim());

async function live(settings: FakeMain['settings'] = {}) {
	const shown = await renderWindow(
		createFakeWindow({ settings: { speak: 'en', hear: ['es'], voiceOf: 'es', ...settings } }),
	);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.parts.drafts.setState({ isOpen: true });
	await expect.element(box()).toBeVisible();
	const said = () => shown.conversation.calls.filter(([name]) => name === 'say').map(([, one]) => one);
	return { ...shown, said };
}

/** A phrase that was asked for is said by then: its module is loaded. */
async function settled(): Promise<void> {
	await import('./ready-phrases.ts');
	await new Promise((done) => setTimeout(done));
}

test('a key says its phrase in their language, and is text where somebody types', async () => {
	const { said } = await live();
	await userEvent.keyboard('2');
	const second = { text: '¿Podría repetirlo, por favor?', language: 'es', translate: false };
	await expect.poll(said).toEqual([second]);
	await userEvent.click(box());
	await userEvent.keyboard('2');
	await expect.element(box()).toHaveValue('2');
	expect(said()).toEqual([second]);
});

test('the menu has every phrase with its key, and says the chosen one', async () => {
	const { said } = await live({ shortcuts: { 'phrase-2': ['Mod+Shift+Y'], 'phrase-3': [] } });
	await userEvent.click(menu());
	await expect.element(page.getByRole('menuitem').first()).toBeVisible();
	expect(items()).toEqual([
		'One moment, please. 1',
		expect.stringMatching(/^Could you say that again, please\? Ctrl ?Shift ?Y$/),
		'Please speak a little more slowly.',
		'Please speak one at a time. 4',
		'Thank you, I understand. 5',
		'Change phrases…',
	]);
	expect(await axeFindings()).toEqual([]);
	await userEvent.click(page.getByRole('menuitem', { name: /^Please speak a little more slowly/ }));
	await expect
		.poll(said)
		.toEqual([{ text: 'Hable un poco más despacio, por favor.', language: 'es', translate: false }]);
});

test('a phrase that was changed, that they have not, or that several hear is left to the interpreter', async () => {
	const { said, parts } = await live();
	const settings = [
		{ phrases: { en: ['Wait!'] } },
		{ phrases: { es: ['¡Espere!'] } },
		{ phrases: {}, hear: ['es', 'fr'] },
		{ hear: ['sk'], voiceOf: 'sk' },
	];
	for (const [index, changed] of settings.entries()) {
		await parts.settings.write(changed);
		await userEvent.keyboard('1');
		await expect.poll(() => said().length).toBe(index + 1);
	}
	expect(said()).toEqual(
		['Wait!', ...Array(3).fill('One moment, please.')].map((text) => ({
			text,
			language: 'en',
			translate: true,
		})),
	);
});

test('they are in the language one types in, and spoken as written where that is a target', async () => {
	const { said } = await live();
	await userEvent.click(page.getByRole('button', { name: /Language you type in/ }));
	await userEvent.click(page.getByRole('option', { name: 'Español · Spanish, spoken as written' }));
	await userEvent.click(menu());
	await userEvent.click(page.getByRole('menuitem', { name: /^Gracias, lo entiendo/ }));
	await expect.poll(said).toEqual([{ text: 'Gracias, lo entiendo.', language: 'es', translate: false }]);
});

test('what the conversation cannot take waits in the box, unless something is written there', async () => {
	const { conversation, said } = await live();
	conversation.show({ phase: 'live', paused: true });
	await userEvent.keyboard('1');
	await expect.element(box()).toHaveValue('One moment, please.');
	await userEvent.keyboard('5');
	await expect.poll(() => said().length).toBe(2);
	await expect.element(box()).toHaveValue('One moment, please.');
});

test('a key of the system or of the menu says it, too; without a conversation nothing is said', async () => {
	const { announce, conversation, said, parts } = await live();
	async function press(command: string): Promise<void> {
		announce('command.run', { command });
		await settled();
	}
	await press('phrase-4');
	expect(said()).toHaveLength(1);
	conversation.show({ phase: 'idle' });
	await press('phrase-4');
	conversation.show({ phase: 'live' });
	for (const mode of ['captions', 'listen', 'face'] as const) {
		await parts.settings.write({ mode });
		await press('phrase-4');
	}
	expect(said()).toHaveLength(1);
	await parts.settings.write({ mode: 'meeting' });
	await press('phrase-5');
	expect(said()).toHaveLength(2);
	expect(said()[1]).toMatchObject({ text: 'Gracias, lo entiendo.' });
});

test('phrases are changed, left out, and brought back as they were suggested', async () => {
	const { parts, said } = await live();
	const stored = () => parts.settings.store.getState().values.phrases;
	await userEvent.click(menu());
	await userEvent.click(page.getByRole('menuitem', { name: 'Change phrases…' }));
	const first = page.getByRole('textbox', { name: 'Phrase 1' });
	await expect.element(first).toHaveValue('One moment, please.');
	await userEvent.fill(first, 'Hold on.');
	await userEvent.fill(page.getByRole('textbox', { name: 'Phrase 3' }), '');
	const fifth = page.getByRole('textbox', { name: 'Phrase 5' });
	await userEvent.fill(fifth, `${'a'.repeat(299)}😀`);
	await expect.element(fifth).toHaveValue('a'.repeat(299));
	await userEvent.fill(fifth, 'a'.repeat(301));
	await expect.element(fifth).toHaveValue('a'.repeat(300));
	expect(await axeFindings()).toEqual([]);
	await userEvent.keyboard('{Enter}');
	await expect
		.poll(() => stored()['en'])
		.toEqual([
			'Hold on.',
			'Could you say that again, please?',
			'',
			'Please speak one at a time.',
			'a'.repeat(300),
		]);
	await expect.element(first).not.toBeInTheDocument();
	await userEvent.keyboard('13');
	await expect.poll(said).toEqual([{ text: 'Hold on.', language: 'en', translate: true }]);
	await userEvent.click(menu());
	await userEvent.click(page.getByRole('menuitem', { name: 'Change phrases…' }));
	await userEvent.click(page.getByRole('button', { name: 'Use the suggested phrases' }));
	await expect.element(first).toHaveValue('One moment, please.');
	expect(stored()).toHaveProperty('en');
	await userEvent.click(page.getByRole('button', { name: 'Save' }).last());
	await expect.poll(stored).toEqual({});
});

test('a language without phrases says so, and has none to suggest', async () => {
	await live({ speak: 'fi' });
	await userEvent.click(menu());
	await expect.element(page.getByRole('menuitem', { name: /^No phrases in .*Finnish.* yet$/ })).toBeVisible();
	await userEvent.click(page.getByRole('menuitem', { name: 'Change phrases…' }));
	await expect.element(page.getByRole('textbox', { name: 'Phrase 1' })).toHaveValue('');
	expect(page.getByRole('button', { name: 'Use the suggested phrases' }).query()).toBeNull();
});

test('in Type to speak the chosen voice says them as they are', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { mode: 'type', typedLanguage: 'de' } }));
	await expect.element(menu()).toBeVisible();
	// In the field it would be a digit.
	(document.activeElement as HTMLElement).blur();
	await userEvent.keyboard('1');
	const texts = () => shown.parts.typing.store.getState().texts.map(({ text, language }) => [language, text]);
	await expect.poll(texts).toEqual([['de', 'Einen Moment, bitte.']]);
});

test('the settings have them beside the keys', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { speak: 'ar' } }));
	shown.parts.navigation.go('settings', 'shortcuts');
	await userEvent.click(page.getByRole('button', { name: 'Change phrases…' }));
	const first = page.getByRole('textbox', { name: 'Phrase 1' });
	await expect.element(first).toHaveValue('لحظة من فضلك.');
	await expect.element(first).toHaveAttribute('dir', 'rtl');
	await expect.element(first).toHaveAttribute('lang', 'ar');
});

test('what is being changed outlives the conversation, and on another page no key speaks into it', async () => {
	const { conversation, parts, said } = await live();
	await userEvent.click(menu());
	await userEvent.click(page.getByRole('menuitem', { name: 'Change phrases…' }));
	const first = page.getByRole('textbox', { name: 'Phrase 1' });
	await userEvent.fill(first, 'Half a phr');
	conversation.show({ phase: 'idle' });
	await expect.element(box()).not.toBeInTheDocument();
	await expect.element(first).toHaveValue('Half a phr');
	await userEvent.click(page.getByRole('button', { name: 'Cancel' }));
	await expect.element(first).not.toBeInTheDocument();
	expect(parts.settings.store.getState().values.phrases).toEqual({});
	conversation.show({ phase: 'live' });
	parts.navigation.go('history');
	await expect.element(page.getByRole('heading', { name: 'History', level: 1 })).toBeVisible();
	await userEvent.keyboard('1');
	parts.navigation.go('live');
	await expect.element(box()).toBeVisible();
	await userEvent.keyboard('2');
	await expect.poll(said).toHaveLength(1);
	expect(said()[0]).toMatchObject({ text: '¿Podría repetirlo, por favor?' });
});

test('the key of a phrase says it while the menu is open as well, once, and closes the menu', async () => {
	const { said } = await live();
	await userEvent.click(menu());
	await expect.element(page.getByRole('menuitem').first()).toBeVisible();
	// One that was held before is no press.
	const held = new KeyboardEvent('keydown', { key: '2', code: 'Digit2', repeat: true, bubbles: true });
	document.body.dispatchEvent(held);
	await expect.element(page.getByRole('menu')).toBeVisible();
	expect(said()).toEqual([]);
	await userEvent.keyboard('{2>3}{/2}');
	await expect.element(page.getByRole('menu')).not.toBeInTheDocument();
	const second = { text: '¿Podría repetirlo, por favor?', language: 'es', translate: false };
	expect(said()).toEqual([second]);
});

test('a key that is held says its phrase once; a key of the system as well, which Windows repeats', async () => {
	const clock = createManualClock();
	const shown = await renderWindow(
		createFakeWindow({ clock, settings: { speak: 'en', hear: ['es'], voiceOf: 'es' } }),
	);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.parts.drafts.setState({ isOpen: true });
	await expect.element(box()).toBeVisible();
	const said = () => shown.conversation.calls.filter(([name]) => name === 'say').length;
	await userEvent.keyboard('{1>3}{/1}');
	await expect.poll(said).toBe(1);
	/** As often as the key is repeated while it is held for that long. */
	const hold = (command: string, ms: number) => {
		for (let passedMs = 0; passedMs < ms; passedMs += 500) {
			shown.announce('command.run', { command });
			clock.advance(500);
		}
	};
	hold('phrase-1', 3000);
	await settled();
	expect(said()).toBe(2);
	// Another key is another press, and so is the same key once it was let go of.
	shown.announce('command.run', { command: 'phrase-2' });
	await expect.poll(said).toBe(3);
	clock.advance(599);
	shown.announce('command.run', { command: 'phrase-1' });
	await settled();
	expect(said()).toBe(3);
	clock.advance(1100);
	hold('phrase-1', 3000);
	await expect.poll(said).toBe(4);
	await settled();
	expect(said()).toBe(4);
});

test('each phrase in the menu says its language', async () => {
	await live({ speak: 'de' });
	await userEvent.click(menu());
	const first = page.getByRole('menuitem').first();
	await expect.element(first).toBeVisible();
	expect(first.element().querySelector('[lang]')?.getAttribute('lang')).toBe('de');
});

test('a digit says its phrase while the keyboard is on the language one types in', async () => {
	const { said } = await live();
	(page.getByRole('button', { name: /Language you type in/ }).element() as HTMLElement).focus();
	await userEvent.keyboard('1');
	await expect.poll(() => said().length).toBe(1);
});

test('why a phrase waits in the box is said where the keyboard is elsewhere', async () => {
	const { conversation } = await live();
	conversation.show({ phase: 'live', paused: true });
	await userEvent.keyboard('1');
	const statuses = () =>
		page
			.getByRole('status')
			.elements()
			.map((one) => one.textContent);
	await expect.poll(statuses).toContain('Available while the conversation is live.');
});

test('a phrase on a function key is left to nobody while a dialog is open', async () => {
	const { said } = await live({ shortcuts: { 'phrase-1': ['F2'] } });
	await userEvent.click(menu());
	await userEvent.click(page.getByRole('menuitem', { name: 'Change phrases…' }));
	await expect.element(page.getByRole('dialog')).toBeVisible();
	const press = new KeyboardEvent('keydown', { key: 'F2', code: 'F2', bubbles: true, cancelable: true });
	document.body.dispatchEvent(press);
	expect([press.defaultPrevented, said()]).toEqual([true, []]);
});

test('a digit with another key held is no phrase, in the text box or elsewhere', async () => {
	const { said } = await live();
	for (const held of ['Control', 'Alt', 'Meta']) await userEvent.keyboard(`{${held}>}1{/${held}}`);
	await userEvent.click(box());
	const press = { key: '#', code: 'Digit3', altKey: true, bubbles: true, cancelable: true };
	const event = new KeyboardEvent('keydown', press);
	box().element().dispatchEvent(event);
	expect(event.defaultPrevented).toBe(false);
	await settled();
	expect(said()).toEqual([]);
});
