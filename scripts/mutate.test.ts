import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { goals, parts, readMutationReport, scoreOf } from './mutate.ts';

const statuses = (...all: readonly string[]) => ({ mutants: all.map((status) => ({ status })) });
const report = {
	files: {
		'src/main/sessions/sweep.ts': statuses('Killed', 'Killed', 'Survived', 'Ignored'),
		'src/main/sessions/ledger.ts': statuses('Timeout', 'NoCoverage', 'RuntimeError', 'CompileError'),
		'src/main/sessions-of-others/ledger.ts': statuses('Survived'),
	},
};

test('counts what was killed, or never came to an end, of what could be killed', () => {
	expect(scoreOf(report, 'src/main/sessions')).toEqual({ killed: 3, mutants: 5, percent: 60 });
});

test('a goal that is nearly reached is not reached', () => {
	const nearly = {
		files: { 'a/b.ts': statuses(...Array(8_999).fill('Killed'), ...Array(1_001).fill('Survived')) },
	};
	expect(scoreOf(nearly, 'a').percent).toBe(89.9);
});

test('a report that was never written is none', () => {
	expect(readMutationReport('out/mutate/nobody-wrote-this.json')).toBeNull();
});

test('every folder with a goal is there', () => {
	for (const folder of Object.keys({ ...goals, ...parts }))
		expect([folder, existsSync(folder)]).toEqual([folder, true]);
});
