import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const mode = (name: string) => page.getByRole('radio', { name });
const read = page.getByRole('combobox', { name: 'Read also in' });
const options = () =>
	page
		.getByRole('option')
		.elements()
		.map((option) => option.textContent);

test('a mode is chosen by keyboard, and says in a line who hears what', async () => {
	const shown = await renderWindow(createFakeWindow());
	await expect.element(mode('Speak and be heard')).toBeChecked();
	await expect
		.element(page.getByText('You speak; others hear and read you in their language.'))
		.toBeVisible();
	mode('Speak and be heard').element().focus();
	await userEvent.keyboard('{ArrowRight}');
	expect(shown.parts.settings.store.getState().values.mode).toBe('meeting');
	await expect.element(page.getByRole('img', { name: 'Them to you: Spanish to English' })).toBeVisible();
	await page.getByText('Captions only').click();
	await expect.element(page.getByText(/Nothing is spoken\.$/).first()).toBeVisible();
	expect(shown.parts.settings.store.getState().values.mode).toBe('captions');
});

test('captions only have no voice to set, and offer the languages of their socket alone', async () => {
	const shown = await renderWindow(
		createFakeWindow({ settings: { mode: 'captions', recentHear: ['uk', 'de'] } }),
	);
	await expect.element(page.getByText('Output', { exact: true })).not.toBeInTheDocument();
	await page
		.getByRole('button', { name: /Show all languages/ })
		.last()
		.click();
	await expect.poll(() => options().slice(0, 2)).toEqual(['No translation', 'DeutschGerman']);
	// Thirteen languages and none.
	expect(options()).toHaveLength(14);
	await page.getByRole('option', { name: 'No translation' }).click();
	await expect.element(read).toHaveValue('No translation');
	await expect.element(page.getByRole('button', { name: 'Swap languages' })).toBeDisabled();
	const { translateCaptions, hear } = shown.parts.settings.store.getState().values;
	// The languages of speech are as they were.
	expect([translateCaptions, hear]).toEqual([false, ['es']]);
});

test('a language that was chosen for speech and cannot be had is named, not changed', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { mode: 'captions', hear: ['uk'] } }));
	await expect.element(page.getByText(/^Captions only cannot be had in .?Ukrainian/)).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Start' })).toBeDisabled();
	expect(shown.parts.settings.store.getState().values.hear).toEqual(['uk']);
});

test('while a conversation runs the mode is settled, and that is said', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { mode: 'captions' } }));
	shown.conversation.show({ phase: 'live' });
	await expect.element(page.getByText('Captions only. To choose another way, stop first.')).toBeVisible();
	await expect.element(mode('Captions only')).not.toBeInTheDocument();
	await expect.element(page.getByRole('button', { name: 'Catch up' })).not.toBeInTheDocument();
	await expect.element(page.getByRole('button', { name: 'Pause' })).toBeVisible();
	shown.conversation.show({ phase: 'idle' });
	await expect.element(mode('Captions only')).toBeChecked();
});

test.each([
	['solo', /^Your words/, /Press Start and speak/, /^Speak, and/],
	['meeting', /^Both sides of the call/, /talk in your call/, /^Talk in your call/],
	['listen', /^Nothing is heard yet/, /let something play/, /^Let something play/],
	['captions', /^What is said/, /Nothing is spoken by the app/, /nothing is spoken by the app/],
] as const)(
	'an empty window says what happens next, before and after Start: %s',
	async (mode, title, before, after) => {
		const shown = await renderWindow(createFakeWindow({ settings: { mode } }));
		const captions = page.getByRole('region', { name: 'Captions', exact: true });
		await expect.element(captions.getByText(title)).toBeVisible();
		await expect.element(captions.getByText(before)).toBeVisible();
		shown.conversation.show({ phase: 'live' });
		await expect.element(captions.getByText(after)).toBeVisible();
		await expect.element(captions.getByText(/Press Start/)).not.toBeInTheDocument();
	},
);

test('face to face and typing say theirs', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { mode: 'face' } }));
	await expect.element(page.getByText(/Put this machine between you and press Start/)).toBeVisible();
	void shown.parts.settings.write({ mode: 'type' });
	await expect.element(page.getByText('Type, and a voice says it')).toBeVisible();
	await expect.element(page.getByText(/Press Start/)).not.toBeInTheDocument();
});

test('what is typed to be spoken is said in its language, and nothing speaks of a translation', async () => {
	await renderWindow(
		createFakeWindow({
			settings: { mode: 'type', speak: 'en', hear: ['es'], voiceOf: 'es', typedLanguage: 'de' },
		}),
	);
	await expect.element(page.getByRole('img', { name: /^You to them: German$/ })).toBeVisible();
	expect(page.getByRole('img', { name: /English|Spanish/ }).elements()).toEqual([]);
});
