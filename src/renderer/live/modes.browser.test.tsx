import { expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { allWords } from '#test/support/all-words.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';
import { windowStates } from '#test/support/window-states.ts';

const mode = (name: string) => page.getByRole('radio', { name });
const read = page.getByRole('combobox', { name: 'Translate to' });
const options = () =>
	page
		.getByRole('option')
		.elements()
		.map((option) => option.textContent);

test('a mode is chosen by keyboard, and says in a line who hears what', async () => {
	const shown = await renderWindow(createFakeWindow());
	await expect.element(mode('Speak and be heard')).toBeChecked();
	await expect.element(page.getByText('You speak; others hear and read it in their language.')).toBeVisible();
	mode('Speak and be heard').element().focus();
	await userEvent.keyboard('{ArrowRight}');
	expect(shown.parts.settings.store.getState().values.mode).toBe('meeting');
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
	await expect
		.poll(() => options().slice(0, 3))
		.toEqual(['No translation', 'EspañolSpanish', 'DeutschGerman']);
	// Thirteen languages and none.
	expect(options()).toHaveLength(14);
	await page.getByRole('option', { name: 'No translation' }).click();
	await expect.element(read).toHaveValue('No translation');
	await expect.element(page.getByRole('button', { name: 'Swap languages' })).toBeDisabled();
	const { translateCaptions, hear } = shown.parts.settings.store.getState().values;
	// The languages of the spoken modes are unchanged.
	expect([translateCaptions, hear]).toEqual([false, ['es']]);
});

test('a language that was chosen for speech and cannot be had is named, not changed', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { mode: 'captions', hear: ['uk'] } }));
	await expect
		.element(page.getByText(/^“Captions only” does not support .Українська · Ukrainian/))
		.toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Start' })).toBeDisabled();
	expect(shown.parts.settings.store.getState().values.hear).toEqual(['uk']);
});

test.each(['meeting', 'listen', 'face'] as const)(
	'what %s cannot translate into is named, and the way out is the box in which it stands',
	async (mode) => {
		const shown = await renderWindow(createFakeWindow({ settings: { mode, speak: 'auto' } }));
		const said = page.getByText(/needs a language for you that can also be translated into/);
		await expect.element(said).toBeVisible();
		await page.getByRole('button', { name: 'Choose languages' }).click();
		// Mine stands second where the others are listened to.
		await expect.element(page.getByRole('combobox').nth(mode === 'listen' ? 1 : 0)).toHaveFocus();
		await shown.parts.settings.write({ speak: 'yue' });
		await expect.element(said).toBeVisible();
		await shown.parts.settings.write({ speak: 'en' });
		await expect.element(said).not.toBeInTheDocument();
	},
);

test('while a conversation runs the mode is settled, and that is said', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { mode: 'captions' } }));
	shown.conversation.show({ phase: 'live' });
	await expect.element(page.getByText('Stop to choose another mode.')).toBeVisible();
	await expect.element(mode('Captions only')).not.toBeInTheDocument();
	await expect.element(page.getByRole('button', { name: 'Catch up' })).not.toBeInTheDocument();
	await expect.element(page.getByRole('button', { name: 'Pause' })).toBeVisible();
	shown.conversation.show({ phase: 'idle' });
	await expect.element(mode('Captions only')).toBeChecked();
});

test.each([
	['solo', /^Your words/, /Press Start and speak/, /^Speak, and/],
	['meeting', /^Both sides of the call/, /talk in your call/, /^Talk in your call/],
	['listen', /^Nothing heard yet/, /play something/, /^Play something/],
	['captions', /^What is said/, /Nothing is spoken aloud/, /nothing is spoken aloud/],
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
	await expect.element(page.getByText(/Put this computer between you and press Start/)).toBeVisible();
	void shown.parts.settings.write({ mode: 'type' });
	await expect.element(page.getByText('Type, and a voice says it')).toBeVisible();
	await expect.element(page.getByText(/Press Start/)).not.toBeInTheDocument();
});

const chooser = page.getByRole('button', { name: /What do you want to do/ });

test('where their words do not fit in one row the modes are one button with a list that says what each does', async () => {
	const shown = await renderWindow(createFakeWindow(), 420, 700);
	await expect.element(mode('Meeting')).not.toBeInTheDocument();
	await expect.element(chooser).toHaveTextContent('Speak and be heard');
	chooser.element().focus();
	await userEvent.keyboard('{Enter}');
	await expect.poll(() => options()).toHaveLength(6);
	await expect
		.element(page.getByRole('option', { name: 'Listen', exact: true }))
		.toHaveAccessibleDescription(/^Hear and read in your language/);
	await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}');
	expect(shown.parts.settings.store.getState().values.mode).toBe('listen');
	await expect.element(chooser).toHaveTextContent('Listen');
	await expect.element(chooser).toHaveFocus();
	// As soon as there is room they stand side by side.
	await page.viewport(1000, 620);
	await expect.element(mode('Listen')).toBeChecked();
	await expect.element(chooser).not.toBeInTheDocument();
	await expect.element(page.getByText('Type to speak', { exact: true })).toBeVisible();
});

test.each(['en', 'es', 'ar', 'fr', 'de', 'ja'] as const)(
	'in %s the list shows every mode at once, without scrolling, whatever the window',
	async (language) => {
		const words = await allWords(language);
		for (const [width, height] of [
			[1000, 760],
			[760, 560],
			[420, 700],
			[420, 560],
			[320, 480],
		] as const) {
			const shown = createFakeWindow();
			// After Stop the modes are a list at any width.
			shown.conversation.putRow(captionRow(0, ['en', 'Hello'], []));
			await renderWindow(shown, width, height, words);
			await userEvent.click(
				page.getByRole('button', {
					name: new RegExp(words.shown.getState().t('mode.title').replace('?', '\\?')),
				}),
			);
			await expect.poll(() => options()).toHaveLength(6);
			const list = document.querySelector('[role="listbox"]') as HTMLElement;
			await expect
				.poll(() => [width, height, list.scrollHeight - list.clientHeight])
				.toEqual([width, height, 0]);
			const { bottom } = page.getByRole('option').last().element().getBoundingClientRect();
			expect(bottom).toBeLessThanOrEqual(height);
			await userEvent.keyboard('{Escape}');
		}
	},
);

test.each(['en', 'es', 'ar', 'fr', 'de', 'ja'] as const)(
	'in %s neither modes nor pace break their row or their box, at any width',
	async (language) => {
		const words = await allWords(language);
		await renderWindow(createFakeWindow({ settings: { soundOpen: true } }), 1000, 700, words);
		// The page around this one stays as it is: one that is resized again and again may, once in thousands of times,
		// stop painting for good.
		const frame = window.frameElement as HTMLIFrameElement;
		const before = frame.style.width;
		onTestFinished(() => {
			frame.style.width = before;
		});
		for (const width of [1000, 860, 760, 560, 420, 360, 280]) {
			frame.style.width = `${width}px`;
			await expect.poll(() => innerWidth).toBe(width);
			await new Promise(requestAnimationFrame);
			await new Promise(requestAnimationFrame);
			for (const name of ['mode.title', 'presets.title'] as const) {
				const group = document.querySelector<HTMLElement>(
					`[role="radiogroup"][aria-label="${words.shown.getState().t(name)}"]`,
				);
				const radios = [...(group ?? document.body).querySelectorAll('label:has([type="radio"])')];
				if (group) expect([width, name, rows(radios)]).toEqual([width, name, 1]);
			}
			const pace = page
				.getByRole('radiogroup', { name: words.shown.getState().t('presets.title') })
				.element();
			expect([width, rows([...pace.querySelectorAll('label')])]).toEqual([width, 1]);
			if (width < 360) continue;
			const main = page.getByRole('main').element();
			expect([width, main.scrollWidth - main.clientWidth]).toEqual([width, 0]);
		}
	},
);

function rows(parts: readonly Element[]): number {
	return new Set(parts.map((part) => Math.round(part.getBoundingClientRect().top))).size;
}

test('nothing below the modes repeats the languages', async () => {
	await renderWindow(createFakeWindow({ settings: { speak: 'auto', detectable: ['en', 'es'] } }));
	expect(page.getByText('Root').elements()).toEqual([]);
	expect(page.getByRole('img', { name: /You to them/ }).elements()).toEqual([]);
});

test('a language that is chosen after “No translation” is translated into again', async () => {
	const shown = await renderWindow(
		createFakeWindow({ settings: { mode: 'captions', translateCaptions: false } }),
	);
	await expect.element(read).toHaveValue('No translation');
	await read.click();
	await userEvent.keyboard('german{Enter}');
	await expect.element(read).toHaveValue('Deutsch · German');
	const { translateCaptions, hear } = shown.parts.settings.store.getState().values;
	expect([translateCaptions, hear]).toEqual([true, ['de']]);
});

test.each([
	['live', 520],
	['meeting', 420],
	['stopped', 480],
	['stopped-meeting', 480],
	['stopped-listen', 480],
] as const)('of 760 px the captions have most while it runs and after Stop: %s', async (state, least) => {
	const shown = windowStates[state]();
	await renderWindow(shown, 1000, 760);
	shown.conversation.show({ ...shown.conversation.store.getState(), notice: null });
	const region = page.getByRole('region', { name: 'Captions', exact: true });
	await expect.element(page.getByRole('button', { name: 'Save captions' })).toBeVisible();
	await expect.poll(() => region.element().getBoundingClientRect().height).toBeGreaterThanOrEqual(least);
});

test('while it runs a notice floats over the captions: their box keeps its size, and their end stays in view', async () => {
	const shown = windowStates.live();
	await renderWindow(shown, 1000, 760);
	for (let id = 10; id < 40; id++)
		shown.conversation.putRow(captionRow(id, ['en', 'One'], [['es', `Uno ${id}`]]));
	const newest = page.getByText('Uno 39').first();
	await expect.element(newest).toBeVisible();
	const region = page.getByRole('region', { name: 'Captions', exact: true });
	const box = () => region.element().getBoundingClientRect();
	const before = box();
	shown.conversation.show({
		...shown.conversation.store.getState(),
		notice: { kind: 'silent-microphone', device: 'Jabra' },
	});
	const notice = page.getByText(/ is silent\. Is it the right/);
	await expect.element(notice).toBeVisible();
	expect(box()).toEqual(before);
	const card = () => notice.element().closest('[data-notice]')?.getBoundingClientRect();
	expect(card()?.bottom).toBeLessThanOrEqual(before.bottom);
	await expect
		.poll(() => (card()?.top ?? 0) - newest.element().getBoundingClientRect().bottom)
		.toBeGreaterThan(0);
});

test('while the last words are waited for, the question whether to keep them can be answered', async () => {
	const shown = windowStates['keep-asks']();
	await renderWindow(shown, 1000, 760);
	const keep = page.getByRole('button', { name: 'Keep', exact: true });
	shown.conversation.show({ phase: 'ending' });
	await keep.click();
	await expect.poll(() => shown.parts.settings.store.getState().values.history).toBe('keep');
});

test.each(['de', 'fr', 'es', 'ja'] as const)('each of two directions has one line: %s', async (locale) => {
	await renderWindow(windowStates.meeting(), 1000, 760, await allWords(locale));
	const heights = () => [...document.querySelectorAll('li[data-leg]')].map((row) => row.clientHeight);
	await expect.poll(() => heights().length).toBe(2);
	for (const height of heights()) expect(height).toBeLessThanOrEqual(40);
});

test('the box to type in opens from its button with the keyboard in it, and Escape gives both back', async () => {
	const shown = await renderWindow(createFakeWindow());
	const open = page.getByRole('button', { name: 'Type instead of speaking' });
	expect(open.elements()).toEqual([]);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	const box = page.getByRole('textbox', { name: 'Type instead of speaking…' });
	await open.click();
	await expect.element(box).toHaveFocus();
	await userEvent.keyboard('Hello{Escape}');
	await expect.element(box).toHaveValue('Hello');
	// Closed by its button it keeps what was typed.
	await open.click();
	await expect.element(box).not.toBeInTheDocument();
	await open.click();
	await expect.element(box).toHaveValue('Hello');
	await userEvent.clear(box);
	await userEvent.keyboard('{Escape}');
	await expect.element(box).not.toBeInTheDocument();
	await expect.element(open).toHaveFocus();
});

test('a pause says over the captions what it costs, where it would cost, and Resume leads', async () => {
	const shown = await renderWindow(createFakeWindow());
	const strip = page.getByText('Paused. Nothing is billed.');
	const resume = page.getByRole('button', { name: 'Resume' });
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	expect(strip.elements()).toEqual([]);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0, paused: true });
	await expect.element(strip).toBeVisible();
	shown.conversation.putRow(captionRow(0, ['en', 'The first words'], []));
	const first = page.getByText('The first words').first();
	await expect
		.poll(() => first.element().getBoundingClientRect().top)
		.toBeGreaterThan(strip.element().getBoundingClientRect().bottom);
	await expect.element(resume).toHaveClass(/primary/);
	await expect.element(page.getByRole('button', { name: 'Stop' })).toHaveClass(/yields/);
	shown.parts.quiet.setState({ quietMs: 1_800_000 });
	await expect.element(page.getByText(/^Paused, because nobody has spoken/)).toBeVisible();
	expect(strip.elements()).toEqual([]);
	shown.parts.quiet.setState({ quietMs: null });
	await expect.element(strip).toBeVisible();
	const { status } = shown.parts.account.store.getState();
	shown.parts.account.store.setState({ status: { ...status, service: 'local' } });
	await expect.element(strip).not.toBeInTheDocument();
	await expect.element(page.getByText('Paused', { exact: true }).first()).toBeVisible();
});

test('the tools of the captions stand beside the languages, also after a look at another page', async () => {
	const shown = windowStates.live();
	await renderWindow(shown, 1000, 760);
	const middleOf = (one: Element) => one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2;
	const save = page.getByRole('button', { name: 'Save captions' });
	const isBeside = () =>
		Math.abs(middleOf(save.element()) - middleOf(page.getByRole('combobox').first().element())) < 4;
	await expect.poll(isBeside).toBe(true);
	shown.parts.navigation.go('settings');
	await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
	shown.parts.navigation.go('live');
	await expect.element(save).toBeVisible();
	await expect.poll(isBeside).toBe(true);
});
