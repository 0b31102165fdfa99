import { expect, test } from 'vitest';
import type { Report } from './report.ts';
import { failedAgain, type SecondTry } from './second-tries.ts';

const tried: SecondTry = {
	step: 'e2e',
	file: 'test/e2e/a.test.ts',
	title: 'is heard',
	name: 'a room > is heard',
	why: '',
};
const report = (...statuses: readonly string[]): Report => {
	const assertionResults = statuses.map((status) => ({
		title: 'is heard',
		ancestorTitles: ['a room'],
		fullName: 'a room is heard',
		status,
		failureMessages: [],
	}));
	const file = { name: '/somewhere/test/e2e/a.test.ts', status: 'passed', assertionResults };
	const counts = { numPassedTests: 1, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
	return { success: true, ...counts, testResults: [file] };
};

test('a test that passes when it is run once more is not counted', () => {
	expect(failedAgain([tried], report('passed'))).toEqual([]);
	expect(failedAgain([tried], report('skipped', 'passed'))).toEqual([]);
});

test('one that fails once more is, and so is one that did not run', () => {
	expect(failedAgain([tried], report('failed'))).toEqual([tried]);
	expect(failedAgain([tried], report('passed', 'failed'))).toEqual([tried]);
	expect(failedAgain([{ ...tried, title: 'is seen' }], report('passed'))).toHaveLength(1);
	expect(failedAgain([tried], null)).toEqual([tried]);
});
