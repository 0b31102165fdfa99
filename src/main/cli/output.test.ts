import { expect, test } from 'vitest';
import { createOutput, createProgress, table } from './output.ts';
import type { Terminal } from './terminal.ts';

test('columns stand below each other, whatever letters are in them', () => {
	const lines = table([
		['日本語 · Japanese', 'x'],
		['हिन्दी · Hindi', 'x'],
		['Español · Spanish', 'x'],
	]);
	// Three letters of two cells each; three of six letters are marks over and under others.
	expect(lines).toEqual(['日本語 · Japanese  x', 'हिन्दी · Hindi        x', 'Español · Spanish  x']);
});

const CLEAR = '\r\u001b[K';

function rig(isErrorTerminal: boolean) {
	const written: string[] = [];
	const terminal: Terminal = {
		env: {},
		out() {
			throw new Error('standard output is for results');
		},
		error: (text) => void written.push(text),
		readInput: async () => '',
		confirm: null,
		signal: new AbortController().signal,
		isErrorTerminal,
	};
	const output = createOutput(terminal, { json: false });
	return { progress: { ...createProgress(output, 'Translating'), clear: output.clear }, written };
}

test('in a terminal a bar is written over, five times a second at most', () => {
	const { progress, written } = rig(true);
	for (let ms = 0; ms <= 1000; ms += 20) progress.at(ms, 90_000);
	expect(written).toHaveLength(6);
	expect(written.every((text) => text.startsWith(CLEAR) && !text.includes('\n'))).toBe(true);
	expect(written[0]).toBe(`${CLEAR}Translating [${'.'.repeat(30)}] 0 % (0:00 of 1:30)`);
	progress.at(45_000, 90_000);
	expect(written.at(-1)).toBe(`${CLEAR}Translating [${'#'.repeat(15)}${'.'.repeat(15)}] 50 % (0:45 of 1:30)`);
});

test('the bar reaches its end, also right after the step before, and never goes beyond', () => {
	const { progress, written } = rig(true);
	progress.at(59_950, 60_000);
	progress.at(60_000, 60_000);
	const full = `${CLEAR}Translating [${'#'.repeat(30)}] 100 % (1:00 of 1:00)`;
	expect(written.at(-1)).toBe(full);
	progress.at(61_000, 60_000);
	expect(written.at(-1)).toBe(`${CLEAR}Translating [${'#'.repeat(30)}] 100 % (1:01 of 1:00)`);
});

test('shows only the elapsed time if the length is unknown', () => {
	const { progress, written } = rig(true);
	progress.at(65_400, null);
	progress.at(70_000, 0);
	expect(written).toEqual([`${CLEAR}Translating 1:05`, `${CLEAR}Translating 1:10`]);
});

test('the bar is taken away once, and only when it is there', () => {
	const { progress, written } = rig(true);
	progress.clear();
	expect(written).toEqual([]);
	progress.at(0, null);
	progress.clear();
	progress.clear();
	expect(written.slice(1)).toEqual([CLEAR]);
});

test('where nothing can be written over it is a line every ten seconds, none for what is short', () => {
	const { progress, written } = rig(false);
	for (let ms = 0; ms < 25_000; ms += 100) progress.at(ms, 40_000);
	progress.clear();
	expect(written).toEqual(['Translating 25 % (0:10 of 0:40)\n', 'Translating 50 % (0:20 of 0:40)\n']);
});
