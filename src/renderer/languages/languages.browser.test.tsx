import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { LanguageFrame } from '#renderer/shell/app.tsx';
import { languageName } from '#shared/i18n/language-names.ts';
import { localeTag, OFFERED_SOURCES, OFFERED_TARGETS } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { allWords } from '#test/support/all-words.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderPart, renderWindow } from '#test/support/render-window.tsx';

const speak = page.getByRole('combobox', { name: 'I speak' });
const hear = page.getByRole('combobox', { name: 'They hear' });
const options = () =>
	page
		.getByRole('option')
		.elements()
		.map((option) => option.textContent);

test.each([
	['its own name', 'deuts'],
	['its name in the interface language', 'german'],
	['its name without the accent', '  GERMAN '],
	['its code', 'de'],
	['its whole name as it is shown', 'Deutsch · German'],
])('a language is found by %s', async (_, typed) => {
	const shown = await renderWindow(createFakeWindow());
	await speak.click();
	await userEvent.keyboard(typed);
	await expect.poll(options).toContain('DeutschGerman');
	await page.getByRole('option', { name: /Deutsch/ }).click();
	await expect.element(speak).toHaveValue('Deutsch · German');
	expect(shown.parts.settings.store.getState().values).toMatchObject({ speak: 'de', recentSpeak: ['de'] });
});

test('no language in the list has its English name in the place of its own: this browser knows all of them', async () => {
	await renderWindow(createFakeWindow({ settings: { interfaceLanguage: 'es' } }));
	const inSpanish = page.getByRole('combobox').last();
	await inSpanish.click();
	await expect.poll(() => options().length).toBeGreaterThan(60);
	const english = new Intl.DisplayNames(['en'], { type: 'language', languageDisplay: 'standard' });
	const foreign = [...new Set([...OFFERED_SOURCES, ...OFFERED_TARGETS])].filter((code) => {
		const { native, label } = languageName(code, 'es');
		// Both names are alike, accents apart, or there is no native name.
		return !label.includes(' · ') || (native === english.of(localeTag(code)) && !/^(en|fil)/.test(code));
	});
	expect(foreign.sort()).toEqual([
		'es',
		'es-ar',
		'es-ch',
		'es-co',
		'es-la',
		'es-mx',
		'fil',
		'it',
		'pt',
		'pt-br',
	]);
});

test('typing and Enter are enough', async () => {
	const shown = await renderWindow(createFakeWindow());
	await hear.click();
	await userEvent.keyboard('ja{Enter}');
	await expect.element(hear).toHaveValue('日本語 · Japanese');
	expect(shown.parts.settings.store.getState().values).toMatchObject({ hear: ['ja'], voiceOf: 'ja' });
	await expect.element(page.getByRole('listbox')).not.toBeInTheDocument();
});

test('the arrow opens the list, and the search goes on letter by letter', async () => {
	await renderWindow(createFakeWindow());
	await page
		.getByRole('button', { name: /Show all languages/ })
		.last()
		.click();
	await expect.poll(() => options().length).toBeGreaterThan(20);
	await userEvent.keyboard('ja{Enter}');
	await expect.element(hear).toHaveValue('日本語 · Japanese');
});

test('who chose and types again searches anew, with a click before or without', async () => {
	await renderWindow(createFakeWindow());
	await hear.click();
	await userEvent.keyboard('german{Enter}');
	await expect.element(hear).toHaveValue('Deutsch · German');
	await userEvent.keyboard('french{Enter}');
	await expect.element(hear).toHaveValue('Français · French');
	await hear.click();
	await userEvent.keyboard('jap{Escape}');
	await expect.element(hear).toHaveValue('Français · French');
	await userEvent.keyboard('span{Enter}');
	await expect.element(hear).toHaveValue('Español · Spanish');
	await userEvent.keyboard('{End}');
	await hear.click();
	await userEvent.keyboard('german{Enter}');
	await expect.element(hear).toHaveValue('Deutsch · German');
});

test.each([
	['the name', () => speak],
	['its label', () => page.getByText('I speak', { exact: true })],
])('a click on %s opens the whole list, ready to search', async (_, place) => {
	const shown = await renderWindow(createFakeWindow());
	await place().click();
	await expect.poll(() => options().length).toBeGreaterThan(20);
	await expect.element(speak).toHaveFocus();
	await expect.poll(() => getSelection()?.toString()).toBe('English');
	// A second click only sets the text cursor.
	await speak.click();
	await expect.element(page.getByRole('listbox')).toBeVisible();
	await userEvent.keyboard('{Escape}');
	await expect.element(page.getByRole('listbox')).not.toBeInTheDocument();
	await place().click();
	await userEvent.keyboard('germ');
	await expect.poll(options).toContain('DeutschGerman');
	await page.getByRole('option', { name: /Deutsch/ }).click();
	await expect.element(page.getByRole('listbox')).not.toBeInTheDocument();
	await expect.element(speak).toHaveValue('Deutsch · German');
	expect(shown.parts.settings.store.getState().values.speak).toBe('de');
	// Keyboard focus alone, passing by, opens nothing.
	await userEvent.tab({ shift: true });
	await userEvent.tab();
	await expect.element(speak).toHaveFocus();
	expect(page.getByRole('listbox').elements()).toEqual([]);
});

test('a slip of the finger is corrected in the middle of a search', async () => {
	await renderWindow(createFakeWindow());
	await hear.click();
	await expect.element(hear).toHaveValue('Español · Spanish');
	await userEvent.keyboard('gx{Backspace}');
	await expect.poll(options).toContain('DeutschGerman');
	await userEvent.keyboard('{Backspace}spx{Backspace}');
	await expect.element(hear).toHaveValue('sp');
	await expect.poll(options).toContain('EspañolSpanish');
	await userEvent.keyboard('a{Backspace}{Backspace}{Backspace}ger{Enter}');
	await expect.element(hear).toHaveValue('Deutsch · German');
});

test('an open list hides nothing of the page that can still be reached, and its entries are called as they are shown', async () => {
	await renderWindow(createFakeWindow());
	await hear.click();
	await expect.poll(() => options().length).toBeGreaterThan(20);
	await expect.element(page.getByRole('button', { name: 'Start', exact: true })).toBeVisible();
	await expect.element(page.getByRole('option', { name: 'Deutsch German', exact: true })).toBeInTheDocument();
	expect(await axeFindings()).not.toContainEqual(expect.stringMatching(/^aria-hidden/));
	await userEvent.keyboard('{Escape}');
	await expect.element(page.getByRole('listbox')).not.toBeInTheDocument();
	// Otherwise a dialog that opens next would not hide it either.
	expect(document.querySelector('#root')?.hasAttribute('data-live-announcer')).toBe(false);
});

test('who looks and leaves has chosen nothing', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { recentHear: ['fr'] } }));
	await hear.click();
	await userEvent.keyboard('span');
	await expect.poll(options).toContain('EspañolSpanish');
	await userEvent.keyboard('{Escape}');
	await expect.element(hear).toHaveValue('Español · Spanish');
	await expect.element(page.getByRole('listbox')).not.toBeInTheDocument();
	expect(shown.parts.settings.store.getState().values.recentHear).toEqual(['fr']);
});

test('a language that changes under who chose it opens no list', async () => {
	const shown = await renderWindow(createFakeWindow());
	await hear.click();
	await userEvent.keyboard('german{Enter}');
	await expect.element(hear).toHaveValue('Deutsch · German');
	await expect.element(page.getByRole('listbox')).not.toBeInTheDocument();
	await shown.parts.settings.write({ hear: ['fr'], voiceOf: 'fr' });
	await expect.element(hear).toHaveValue('Français · French');
	await expect.element(hear).toHaveFocus();
	expect(page.getByRole('listbox').elements()).toEqual([]);
	await expect.element(page.getByRole('button', { name: 'Start', exact: true })).toBeVisible();
});

test('what matches nothing says so, and leaving restores what was chosen', async () => {
	await renderWindow(createFakeWindow());
	await speak.click();
	await userEvent.keyboard('qqq');
	await expect.element(page.getByText('No language matches')).toBeVisible();
	await userEvent.keyboard('{Escape}');
	await expect.element(page.getByRole('listbox')).not.toBeInTheDocument();
	await userEvent.tab();
	await expect.element(speak).toHaveValue('English');
});

test('recent languages come first, detection before them, and all follow by name', async () => {
	await renderWindow(createFakeWindow({ settings: { recentSpeak: ['fr', 'ja'] } }));
	await page
		.getByRole('button', { name: /Show all languages/ })
		.first()
		.click();
	await expect
		.poll(() => options().slice(0, 5))
		.toEqual(['Detect language', 'English', 'FrançaisFrench', '日本語Japanese', 'العربيةArabic']);
	expect(options().filter((text) => text === 'FrançaisFrench')).toHaveLength(1);
});

test('detection listens for the ticked languages and cannot be swapped', async () => {
	const shown = await renderWindow(
		createFakeWindow({ settings: { speak: 'auto', detectable: ['en', 'de'] } }),
	);
	await expect.element(page.getByRole('button', { name: 'Swap languages' })).toBeDisabled();
	await page.getByRole('button', { name: /Between English and Deutsch · German/ }).click();
	await userEvent.keyboard('frenc');
	// By its label, which is waited for until it rests: the list moves while it gets shorter.
	const french = page.getByRole('checkbox', { name: /Français/ });
	const label = french.element().closest('label');
	if (!label) throw new Error('no label');
	await userEvent.click(label);
	await expect
		.poll(() => shown.parts.settings.store.getState().values.detectable)
		.toEqual(['en', 'de', 'fr']);
});

test('the last language that detection listens for stays ticked, so that Start goes on working', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { speak: 'auto', detectable: ['en'] } }));
	await page.getByRole('button', { name: /^Choose the languages to listen for: Between English$/ }).click();
	const ticked = page.getByRole('checkbox', { checked: true });
	await expect.element(ticked).toBeInTheDocument();
	await userEvent.click(ticked.element().closest('label') as HTMLElement);
	await userEvent.keyboard('{Escape}');
	await expect.element(page.getByRole('button', { name: 'Start', exact: true })).toBeEnabled();
	expect(shown.parts.settings.store.getState().values.detectable).toEqual(['en']);
});

test('several languages are heard: captions for all, the voice for one', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { hear: ['es', 'ja'], voiceOf: 'es' } }));
	const values = () => shown.parts.settings.store.getState().values;
	await page.getByRole('button', { name: /Speak 日本語 · Japanese instead/ }).click();
	await expect.element(hear).toHaveValue('日本語 · Japanese');
	expect(values()).toMatchObject({ hear: ['ja', 'es'], voiceOf: 'ja' });
	await page.getByRole('button', { name: 'Remove Español · Spanish' }).click();
	await expect.poll(() => values().hear).toEqual(['ja']);
});

test('swapping turns the pair round', async () => {
	const shown = await renderWindow(createFakeWindow());
	await page.getByRole('button', { name: 'Swap languages' }).click();
	await expect.element(speak).toHaveValue('Español · Spanish');
	expect(shown.parts.settings.store.getState().values).toMatchObject({
		speak: 'es',
		hear: ['en-us'],
		voiceOf: 'en-us',
	});
	await page.getByRole('button', { name: 'Swap languages' }).click();
	await expect.element(speak).toHaveValue('English');
	expect(shown.parts.settings.store.getState().values).toMatchObject({ hear: ['es'], voiceOf: 'es' });
});

test.each<[string, Partial<Settings>]>([
	['solo', { mode: 'solo', speak: 'en', hear: ['ja'] }],
	['captions without a translation', { mode: 'captions', translateCaptions: false }],
	['listening to whatever is spoken', { mode: 'listen', listenDetect: true }],
	['face to face', { mode: 'face', hear: ['ar'] }],
] as const)(
	'before they can be chosen the languages can be read in their places: %s',
	async (_, settings) => {
		const shown = () => createFakeWindow({ settings });
		await renderWindow(shown());
		const boxes = page.getByRole('combobox').elements() as HTMLInputElement[];
		const later = boxes.flatMap((box) => [box.labels?.[0]?.textContent, box.value]);
		await renderPart(shown(), <LanguageFrame />);
		const frame = page.getByRole('region', { name: 'Languages' });
		await expect.element(frame).toHaveTextContent(later.slice(0, 4).join(''));
	},
);

test('the chosen language is in sight with the first ones, also where it is the one the app began with', async () => {
	await renderWindow(
		createFakeWindow({ settings: { recentHear: ['ar', 'ja'], hear: ['vi'], voiceOf: 'vi' } }),
	);
	await page.getByRole('combobox', { name: 'They hear' }).click();
	await expect
		.poll(() => options().slice(0, 3))
		.toEqual(['Tiếng ViệtVietnamese', 'العربيةArabic', '日本語Japanese']);
	const chosen = page.getByRole('option', { selected: true });
	await expect.element(chosen).toBeVisible();
	expect(chosen.elements()).toHaveLength(1);
	expect(page.getByRole('listbox').element().scrollTop).toBe(0);
});

test('an entry far down a list is not opened at its very edge', async () => {
	await renderWindow(createFakeWindow({ settings: { mode: 'type', typedLanguage: 'vi' } }));
	await page.getByRole('combobox').first().click();
	const chosen = page.getByRole('option', { selected: true });
	await expect.element(chosen).toBeVisible();
	const list = () => page.getByRole('listbox').element().getBoundingClientRect();
	const room = () => {
		const { top, bottom } = chosen.element().getBoundingClientRect();
		return Math.min(top - list().top, list().bottom - bottom);
	};
	await expect.poll(room).toBeGreaterThan(36);
});

test('at 420 px what can be added to the other side stands in one line under both, and no word is cut', async () => {
	const words = await allWords('de');
	await renderWindow(createFakeWindow({ settings: { mode: 'meeting' } }), 420, 700, words);
	const [add, detect] = [
		words.shown.getState().t('languages.add'),
		words.shown.getState().t('languages.detectTheirs'),
	].map((name) => page.getByRole('button', { name }));
	await expect.element(add as NonNullable<typeof add>).toBeVisible();
	const boxes = [add, detect].map((one) => one?.element());
	expect(boxes[0]?.getBoundingClientRect().top).toBe(boxes[1]?.getBoundingClientRect().top);
	const text = boxes[1]?.querySelector('span');
	expect(text?.scrollWidth).toBeLessThanOrEqual(text?.clientWidth ?? 0);
});
