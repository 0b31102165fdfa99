import { expect, test } from 'vitest';
import ar from '#shared/i18n/ar.json';
import en from '#shared/i18n/en.json';
import es from '#shared/i18n/es.json';
import ja from '#shared/i18n/ja.json';
import { createTranslations, type TFunction } from './translation.ts';

function english(words: object) {
	const i18n = createTranslations('en');
	i18n.add('en', words);
	return i18n.t as (key: string, facts?: Record<string, unknown>) => string;
}

test('facts stand in their gaps; one that is missing leaves nothing', () => {
	const t = english({ a: { b: '{{x}} and {{y}}, {{x}} again{{z}}' } });
	expect(t('a.b', { x: 1, y: '' })).toBe('1 and , 1 again');
	expect(t('a.b', { x: null, y: undefined, z: 0 })).toBe(' and ,  again0');
});

test('what a fact says is no gap and no pattern', () => {
	const t = english({ a: '{{x}}|{{y}}' });
	expect(t('a', { x: '{{y}}', y: '$&$1' })).toBe('{{y}}|$&$1');
});

test('a place that is not there is its key, also where it is one of every object', () => {
	const t = english({ a: { b: 'B' } });
	for (const key of ['a', 'a.c', 'a.b.c', 'x', 'constructor.name', 'a.toString']) expect(t(key)).toBe(key);
});

test('the count chooses the form, by the rules of the language', () => {
	const i18n = createTranslations('en');
	for (const [language, words] of Object.entries({ en, es, ar, ja })) i18n.add(language, words);
	const forms = (language: string, counts: readonly number[]) =>
		counts.map((count) => i18n.in(language).t('history.lines', { count }));
	expect(forms('en', [0, 1, 2])).toEqual(['0 lines', '1 line', '2 lines']);
	expect(new Set(forms('ar', [0, 1, 2, 3, 11, 100]).map((text) => text.replace(/\d+/, ''))).size).toBe(6);
	expect(forms('ja', [1, 2])).toEqual(['1 件の発言', '2 件の発言']);
	expect(forms('es', [1, 1_000_000])).toEqual(['1 línea', '1000000 de líneas']);
});

test('a form that a language lacks is the general one', () => {
	const t = english({ a_other: '{{count}} of them' });
	expect(t('a', { count: 1 })).toBe('1 of them');
	expect(t('a', { count: '1' })).toBe('a');
});

test('words a language does not have are English, where that is loaded', () => {
	const korean = createTranslations('ko');
	korean.add('ko', { a: '가' });
	const t = korean.t as (key: string) => string;
	expect([t('a'), t('b')]).toEqual(['가', 'b']);
	korean.add('en', { a: 'A', b: 'B' });
	expect([t('a'), t('b')]).toEqual(['가', 'B']);
});

test('each language is one object with its direction; replaced words are seen at once', () => {
	const i18n = createTranslations('en');
	expect(i18n.in('ar')).toBe(i18n.in('en').in('ar'));
	expect(i18n.in('en')).toBe(i18n);
	expect([i18n.dir(), i18n.in('ar').dir()]).toEqual(['ltr', 'rtl']);
	expect([i18n.has('en'), i18n.in('ar').has('en')]).toEqual([false, false]);
	i18n.add('en', en);
	expect(i18n.in('ar').has('en')).toBe(true);
	i18n.add('en', { app: { loading: 'Wait' } });
	const t: TFunction = i18n.t;
	expect(t('app.loading')).toBe('Wait');
});
