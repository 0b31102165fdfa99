import { parseArgs } from 'node:util';
import { expect, test } from 'vitest';
import { createPresses, wrongArguments } from './terminal.ts';

function saidOf(args: readonly string[]): string {
	try {
		const options = { lang: { type: 'string', short: 'l' }, json: { type: 'boolean' } } as const;
		parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
		return '';
	} catch (thrown) {
		return wrongArguments(thrown);
	}
}

test.each([
	['--langg', "Unknown option '--langg'."],
	['--a. To be', "Unknown option '--a. To be'."],
	['word', "Unexpected argument 'word'."],
	['--lang', '--lang needs a value.'],
	['-l', '--lang needs a value.'],
	['--json=x', "Option '--json' does not take an argument."],
])('of what Node says about %s one sentence is left', (argument, sentence) => {
	expect(saidOf([argument])).toBe(sentence);
});

test('an option in place of a value', () => {
	expect(saidOf(['--lang', '--json'])).toBe('--lang needs a value.');
});

test('other words stay as they are', () => {
	expect(wrongArguments(new Error('--port must be a number.'))).toBe('--port must be a number.');
	expect(wrongArguments('no error')).toBe('Not understood.');
});

test('signals within half a second are one press; the next one is another', () => {
	const did: string[] = [];
	let nowMs = 1000;
	const signal = createPresses({
		now: () => nowMs,
		first: () => void did.push('first'),
		again: () => void did.push('again'),
	});
	for (nowMs of [1000, 1001, 1499]) signal();
	expect(did).toEqual(['first']);
	nowMs = 1500;
	signal();
	expect(did).toEqual(['first', 'again']);
});
