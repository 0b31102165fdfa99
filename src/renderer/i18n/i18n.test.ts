import { expect, test } from 'vitest';
import { addWords, createI18n, getI18n, showLanguage, type TFunction, translate } from './i18n.ts';

const asked = (texts: Record<string, Record<string, string>>, language: string) =>
	translate(() => texts, language) as (key: string, values?: object) => ReturnType<TFunction>;

test('puts values into a text, and nothing for one that is missing', () => {
	const t = asked({ a: { b: '{{who}} has {{what}}, {{who}}{{more}}.' } }, 'en');
	expect(t('a.b', { who: '{{what}}', what: '$&' })).toBe('{{what}} has $&, {{what}}.');
});

test('chooses the plural form of the language', () => {
	const en = asked({ a: { lines_one: '{{count}} line', lines_other: '{{count}} lines' } }, 'en');
	expect([0, 1, 2].map((count) => en('a.lines', { count }))).toEqual(['0 lines', '1 line', '2 lines']);
	const ar = asked(
		{ a: { lines_zero: 'none', lines_two: 'two', lines_few: 'few', lines_other: 'other' } },
		'ar',
	);
	expect([0, 2, 3, 100].map((count) => ar('a.lines', { count }))).toEqual(['none', 'two', 'few', 'other']);
	// A category of the platform that a catalogue lacks.
	expect(ar('a.lines', { count: 11 })).toBe('other');
});

test('returns a key that has no text, and no property that is not a text', () => {
	const t = asked({ a: { b: 'B' }, settings: { foundNone: 'None' } }, 'en');
	expect([t('a.c'), t('a'), t('a.b.length'), t('a.constructor.name'), t('x.y')]).toEqual([
		'a.c',
		'a',
		'a.b.length',
		'a.constructor.name',
		'x.y',
	]);
});

test('shows another language with both of its files, and returns another function then', async () => {
	const i18n = await createI18n('en');
	expect(getI18n()).toBe(i18n);
	const before = i18n.shown.getState();
	expect([before.t('settings.title'), before.t('settings.foundNone')]).toEqual(['Settings', '']);
	await addWords(i18n, 'en');
	expect(before.t('settings.foundNone')).toMatch(/\w/);
	// Drawn again, with what was missing.
	expect(i18n.shown.getState().t).not.toBe(before.t);
	await addWords(i18n, 'de');
	showLanguage(i18n, 'de');
	const { t, language } = i18n.shown.getState();
	expect([language, t('settings.title'), t('live.start')]).toEqual(['de', 'Einstellungen', 'Start']);
	expect(t).not.toBe(before.t);
});
