import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { Report } from './report.ts';

/** Where the runs of one `npm test` collect the tests that passed only at the second try. */
const FILE = 'out/test/second-tries.txt';
/** Where they collect errors that belong to no test: a line of JSON for each. */
const OUTSIDE_FILE = 'out/test/outside-tests.txt';
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

/** An error that belongs to no test, as of a promise that nobody waited for. */
export interface Outside {
	/** The step of `npm test` in which it happened. */
	readonly step: string;
	readonly message: string;
	readonly stack: string;
}

/** A Vitest reporter: a test that needed a second try is a defect to be found, so it is never silent. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter's file by its default export.
export default class SecondTries implements Reporter {
	onTestCaseResult(test: TestCase): void {
		if (!test.diagnostic()?.flaky) return;
		const [error] = test.result().errors ?? [];
		const { name: title, fullName: name } = test;
		const why = error?.message.replaceAll(/\s+/g, ' ').slice(0, REASON_LENGTH) ?? '';
		const found: SecondTry = { step: stepHere(), file: test.module.relativeModuleId, title, name, why };
		append(FILE, found);
	}

	/** What fails a run although all its tests passed must be found in the end as well. */
	onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
		for (const { message, stack = '' } of errors) {
			const found: Outside = { step: stepHere(), message: message.slice(0, REASON_LENGTH), stack };
			append(OUTSIDE_FILE, found);
		}
	}
}

const stepHere = () => process.env.DRAGOMAN_TEST_STEP ?? '';

function append(file: string, found: SecondTry | Outside): void {
	mkdirSync(dirname(file), { recursive: true });
	appendFileSync(file, `${JSON.stringify(found)}\n`);
}

function read<T>(file: string): readonly T[] {
	if (!existsSync(file)) return [];
	const lines = readFileSync(file, 'utf8').trim().split('\n');
	return lines.map((line) => JSON.parse(line) as T);
}

/** The second tries of this `npm test`. */
export function readSecondTries(): readonly SecondTry[] {
	return read<SecondTry>(FILE);
}

/** The errors of this `npm test` that belong to no test. */
export function readOutside(): readonly Outside[] {
	return read<Outside>(OUTSIDE_FILE);
}

/** The tests that failed again in a further run with one try each; a test missing from that run counts as failed. */
export function failedAgain(tries: readonly SecondTry[], report: Report | null): readonly SecondTry[] {
	return tries.filter(({ file, title }) => {
		const there = report?.testResults.find(({ name }) => name.replaceAll('\\', '/').endsWith(file));
		const mine = there?.assertionResults.filter((one) => one.title === title) ?? [];
		return mine.length === 0 || mine.some(({ status }) => status === 'failed');
	});
}
