import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestCase } from 'vitest/node';
import type { Report } from './report.ts';

/** Where the runs of one `npm test` collect the tests that passed only at the second try. */
const FILE = 'out/test/second-tries.txt';
/** Characters kept of what went wrong the first time: whatever the test has told of the app. */
const REASON_LENGTH = 10_000;

/** A test that passed only when it was tried again. */
export interface SecondTry {
	/** The step of `npm test` in which it did. */
	readonly step: string;
	readonly file: string;
	/** Without the groups around it. */
	readonly title: string;
	/** With the groups around it. */
	readonly name: string;
	/** What went wrong the first time. */
	readonly why: string;
}

/** A Vitest reporter: a test that needed a second try is a defect to be found, so it is never silent. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter's file by its default export.
export default class SecondTries implements Reporter {
	onTestCaseResult(test: TestCase): void {
		if (!test.diagnostic()?.flaky) return;
		const [error] = test.result().errors ?? [];
		const { name: title, fullName: name } = test;
		const why = error?.message.replaceAll(/\s+/g, ' ').slice(0, REASON_LENGTH) ?? '';
		const step = process.env.DRAGOMAN_TEST_STEP ?? '';
		const found: SecondTry = { step, file: test.module.relativeModuleId, title, name, why };
		mkdirSync(dirname(FILE), { recursive: true });
		appendFileSync(FILE, `${JSON.stringify(found)}\n`);
	}
}

/** The second tries of this `npm test`. */
export function readSecondTries(): readonly SecondTry[] {
	if (!existsSync(FILE)) return [];
	const lines = readFileSync(FILE, 'utf8').trim().split('\n');
	return lines.map((line) => JSON.parse(line) as SecondTry);
}

/** The tests that failed again in a further run with one try each; a test missing from that run counts as failed. */
export function failedAgain(tries: readonly SecondTry[], report: Report | null): readonly SecondTry[] {
	return tries.filter(({ file, title }) => {
		const there = report?.testResults.find(({ name }) => name.replaceAll('\\', '/').endsWith(file));
		const mine = there?.assertionResults.filter((one) => one.title === title) ?? [];
		return mine.length === 0 || mine.some(({ status }) => status === 'failed');
	});
}
