import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OFFERED_TARGETS } from '#shared/protocol/languages.ts';
import en from './en.json' with { type: 'json' };
import phrases from './face-phrases.json' with { type: 'json' };

const placeholders = (text: string) => text.match(/\{\{[^}]+\}\}/g) ?? [];

test.each(Object.entries(phrases))('%s has every phrase of a half, with its placeholders', (code, half) => {
	expect(OFFERED_TARGETS.map((target) => target.split('-')[0])).toContain(code);
	expect(Object.keys(half).sort()).toEqual(Object.keys(en.face.half).sort());
	for (const [name, text] of Object.entries(half)) {
		const original = en.face.half[name as keyof typeof en.face.half];
		expect([name, text.trim() !== '', placeholders(text)]).toEqual([name, true, placeholders(original)]);
	}
});

test('a language with a catalogue of its own has its phrases there', () => {
	const catalogues = readdirSync(import.meta.dirname).flatMap(
		(name) => /^([a-z]{2})\.json$/.exec(name)?.[1] ?? [],
	);
	expect(Object.keys(phrases).filter((code) => catalogues.includes(code))).toEqual([]);
});
