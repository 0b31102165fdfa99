import { expect, test } from 'vitest';
import { everyLook, type Look, languages, pairwise, sizes, themes } from './choose.ts';

const states = Array.from({ length: 6 }, (_, index) => `state-${index}`);
const values = { state: states, size: sizes, theme: themes, language: languages } as const;
const names = Object.keys(values) as (keyof Look)[];

test('the choice holds every pair of state, size, theme and language', () => {
	const chosen = pairwise(states);
	for (const one of names)
		for (const other of names) {
			if (one >= other) continue;
			const met = new Set(chosen.map((look) => `${look[one]} ${look[other]}`));
			expect([one, other, met.size]).toEqual([one, other, values[one].length * values[other].length]);
		}
	expect(chosen).toHaveLength(states.length * sizes.length);
});

test('all of them are each state in each size, theme and language, once', () => {
	const all = everyLook(states).map((look) => Object.values(look).join(' '));
	expect(new Set(all).size).toBe(states.length * sizes.length * themes.length * languages.length);
	expect(all).toHaveLength(new Set(all).size);
});

test('what has gone wrong where three of them met is looked at once more', () => {
	const german = pairwise(['meeting', 'live']).filter(
		({ size, language }) => `${size} ${language}` === '640x400 de',
	);
	expect(german.map(({ state }) => state)).toContain('meeting');
	expect(pairwise(['live'])).toHaveLength(sizes.length);
});
