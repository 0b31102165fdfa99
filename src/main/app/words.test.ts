import { expect, test } from 'vitest';
import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';
import { wordsFor } from './words.ts';

test('the chosen language wins, then the first of the system we speak, then English', () => {
	expect(wordsFor('es', ['ar']).menu.quit).toBe('Salir');
	expect(wordsFor('system', ['pt-BR', 'ar-EG', 'es']).menu.quit).toBe('إنهاء');
	expect(wordsFor('system', ['xx']).menu.quit).toBe('Quit');
});

test('every catalogue says everything', () => {
	const keys = (words: object, at = ''): string[] =>
		Object.entries(words).flatMap(([key, value]) =>
			typeof value === 'string' ? (value.trim() === '' ? [] : `${at}${key}`) : keys(value, `${at}${key}.`),
		);
	const english = keys(wordsFor('en', []));
	for (const language of interfaceLanguages)
		expect(keys(wordsFor(language, [])).sort()).toEqual([...english].sort());
});
