import { describe, expect, test } from 'vitest';
import type { Terminal } from './context.ts';
import { createProgress } from './progress.ts';

function stage(isErrorTerminal: boolean) {
	const written: string[] = [];
	const terminal = { isErrorTerminal, error: (text: string) => void written.push(text) };
	return { written, progress: createProgress(terminal as unknown as Terminal, 'Translating') };
}

const CLEAR = '\r\u001b[K';

describe('progress', () => {
	test('is a bar that is written over, five times a second at most, and to its end', () => {
		const { progress, written } = stage(true);
		progress.at(0, 60_000);
		progress.at(150, 60_000);
		progress.at(30_000, 60_000);
		progress.at(59_900, 60_000);
		progress.at(60_000, 60_000);
		expect(written).toEqual([
			`${CLEAR}Translating [${'.'.repeat(30)}] 0 % (0:00 of 1:00)`,
			`${CLEAR}Translating [${'#'.repeat(15)}${'.'.repeat(15)}] 50 % (0:30 of 1:00)`,
			`${CLEAR}Translating [${'#'.repeat(30)}] 99 % (0:59 of 1:00)`,
			`${CLEAR}Translating [${'#'.repeat(30)}] 100 % (1:00 of 1:00)`,
		]);
	});

	test('is a line now and then where nothing can be written over, and none for what is quickly done', () => {
		const { progress, written } = stage(false);
		for (let ms = 0; ms <= 25_000; ms += 1000) progress.at(ms, 100_000);
		progress.clear();
		expect(written).toEqual(['Translating 10 % (0:10 of 1:40)\n', 'Translating 20 % (0:20 of 1:40)\n']);
	});

	test('says only how far it is when nobody knows the length, and never more than all of it', () => {
		const { progress, written } = stage(true);
		progress.at(61_000, null);
		progress.at(62_000, 0);
		progress.at(90_000, 80_000);
		expect(written.slice(0, 2)).toEqual([`${CLEAR}Translating 1:01`, `${CLEAR}Translating 1:02`]);
		expect(written[2]).toContain('100 %');
	});

	test('is taken away once, and only when it is there', () => {
		const { progress, written } = stage(true);
		progress.clear();
		progress.at(0, null);
		progress.clear();
		progress.clear();
		expect(written).toEqual([`${CLEAR}Translating 0:00`, CLEAR]);
	});
});
