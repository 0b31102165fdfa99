import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const box = () => page.getByRole('textbox', { name: 'Type instead of speaking…' });
const send = () => page.getByRole('button', { name: 'Speak this' });

async function live(settings = {}) {
	const shown = await renderWindow(
		createFakeWindow({ settings: { speak: 'en', hear: ['es', 'ar'], ...settings } }),
	);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.parts.drafts.setState({ isOpen: true });
	await expect.element(box()).toBeVisible();
	return shown;
}

test('a sentence is given to the interpreter at Enter, translated from what the speaker speaks', async () => {
	const { conversation } = await live();
	await userEvent.fill(box(), 'Good morning');
	await userEvent.keyboard('{Enter}');
	expect(conversation.calls.at(-1)).toEqual([
		'say',
		{ text: 'Good morning', language: 'en', translate: true },
	]);
	await expect.element(box()).toHaveValue('');
});

test('what is being typed is still there after a look at the settings', async () => {
	const { parts } = await live();
	await userEvent.fill(box(), 'Good morn');
	parts.navigation.go('settings');
	await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
	parts.navigation.go('live');
	await expect.element(box()).toHaveValue('Good morn');
});

test('or it is spoken as it stands, in one of the targets, from the side of that language', async () => {
	const { conversation } = await live();
	await userEvent.click(page.getByRole('button', { name: /Language you type in/ }));
	await userEvent.click(
		page.getByRole('option', { name: '\u2068العربية\u2069 · Arabic, spoken as written' }),
	);
	await expect.element(box()).toHaveAttribute('dir', 'rtl');
	await userEvent.fill(box(), 'صباح الخير');
	await userEvent.click(send());
	expect(conversation.calls.at(-1)).toEqual([
		'say',
		{ text: 'صباح الخير', language: 'ar', translate: false },
	]);
	await expect.element(box()).toHaveFocus();
});

test('the language it is written in is still chosen after a look at the settings', async () => {
	const { parts, conversation } = await live();
	await userEvent.click(page.getByRole('button', { name: /Language you type in/ }));
	await userEvent.click(page.getByRole('option', { name: 'Español · Spanish, spoken as written' }));
	await userEvent.fill(box(), 'Buenos días');
	parts.navigation.go('settings');
	await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
	parts.navigation.go('live');
	await userEvent.click(send());
	expect(conversation.calls.at(-1)).toEqual([
		'say',
		{ text: 'Buenos días', language: 'es', translate: false },
	]);
});

test('under detection every language that may be spoken can be typed', async () => {
	await live({ speak: 'auto', detectable: ['en', 'de'], hear: ['es'] });
	await userEvent.click(page.getByRole('button', { name: /Language you type in/ }));
	await expect.element(page.getByRole('option', { name: 'Deutsch · German, translated' })).toBeVisible();
	expect(
		page
			.getByRole('option')
			.elements()
			.map((one) => one.textContent),
	).toEqual(['English, translated', 'Deutsch · German, translated', 'Español · Spanish, spoken as written']);
});

test('while it cannot be taken the text stays, and why is said', async () => {
	const { conversation } = await live();
	conversation.show({ phase: 'live', paused: true });
	// No reason shown before there is something to send: its line would move the captions with every change of state.
	await expect.element(send()).toBeDisabled();
	await expect.element(page.getByText('Available while the conversation is live.')).not.toBeInTheDocument();
	await userEvent.fill(box(), 'Later');
	await userEvent.keyboard('{Enter}');
	await expect.element(box()).toHaveValue('Later');
	await expect.element(send()).toBeDisabled();
	await expect.element(page.getByText('Available while the conversation is live.').first()).toBeVisible();
});

test('the limit of a message is said beforehand and kept', async () => {
	const { conversation } = await live();
	await userEvent.fill(box(), 'a'.repeat(2047));
	await expect.element(page.getByText('1 character left')).toBeVisible();
	await userEvent.fill(box(), 'a'.repeat(2049));
	await userEvent.keyboard('{Enter}');
	await expect.element(page.getByText('Too long: at most 2048 characters at once.')).toBeVisible();
	expect(conversation.calls.filter(([name]) => name === 'say')).toEqual([]);
});

test('there is no box without a conversation, and none where nothing is spoken', async () => {
	const shown = await live();
	shown.conversation.show({ phase: 'idle' });
	await expect.element(box()).not.toBeInTheDocument();
	await shown.parts.settings.write({ mode: 'captions' });
	shown.conversation.show({ phase: 'live' });
	await expect.element(box()).not.toBeInTheDocument();
});

test('a typed row is marked, and a refusal is announced with its reason', async () => {
	const { conversation } = await live();
	conversation.putRow({ ...captionRow(0, ['en', 'Typed one'], []), typed: { is: 'taken' } });
	conversation.putRow({
		...captionRow(1, ['en', 'Typed two'], []),
		typed: { is: 'refused', problem: { kind: 'rate-limited', retryAfterMs: 60_000 } },
	});
	conversation.putRow(captionRow(2, ['en', 'Said'], []));
	await expect.element(page.getByRole('alert').getByText(/^Not spoken\. Too many requests/)).toBeVisible();
	expect(
		[...document.querySelectorAll<HTMLElement>('[data-typed]')].map((mark) => mark.dataset['typed']),
	).toEqual(['taken', 'refused']);
	expect(await axeFindings()).toEqual([]);
});

test('in a narrow window the language one types in takes a line only while somebody types', async () => {
	const shown = await renderWindow(createFakeWindow(), 420, 700);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.parts.drafts.setState({ isOpen: true });
	await expect.element(box()).toBeVisible();
	const language = () => page.getByRole('button', { name: /Language you type in/ });
	expect(language().query()).toBeNull();
	await userEvent.click(box());
	await expect.element(language()).toBeVisible();
	await userEvent.keyboard('Hello');
	(page.getByRole('button', { name: 'Stop' }).element() as HTMLElement).focus();
	await expect.element(language()).toBeVisible();
	await userEvent.fill(box(), '');
	// Back from the text, the keyboard reaches it.
	await userEvent.tab({ shift: true });
	await expect.element(language()).toHaveFocus();
	(page.getByRole('button', { name: 'Stop' }).element() as HTMLElement).focus();
	await expect.poll(() => language().query()).toBeNull();
});

test('Enter that only ends the composing of letters, as in Japanese, sends nothing', async () => {
	const { conversation } = await live({ speak: 'ja' });
	const said = () => conversation.calls.filter(([name]) => name === 'say').length;
	const field = box().element();
	function press(isComposing: boolean): void {
		const init = { key: 'Enter', isComposing, bubbles: true, cancelable: true };
		field.dispatchEvent(new KeyboardEvent('keydown', init));
	}
	await userEvent.fill(box(), 'おはようございます');
	press(true);
	await expect.element(box()).toHaveValue('おはようございます');
	expect(said()).toBe(0);
	press(false);
	await expect.element(box()).toHaveValue('');
	expect(said()).toBe(1);
});
