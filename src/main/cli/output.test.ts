import { expect, test } from 'vitest';
import { table } from './output.ts';

test('columns stand below each other, whatever letters are in them', () => {
	const lines = table([
		['日本語 · Japanese', 'x'],
		['हिन्दी · Hindi', 'x'],
		['Español · Spanish', 'x'],
	]);
	// Three letters of two cells each; three of six letters are marks over and under others.
	expect(lines).toEqual(['日本語 · Japanese  x', 'हिन्दी · Hindi        x', 'Español · Spanish  x']);
});
