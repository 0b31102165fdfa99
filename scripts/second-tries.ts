import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { Report } from './report.ts';

/** File in which the runs of one `npm test` collect the tests that passed only at the second attempt. */
const FILE = 'out/test/second-tries.txt';
/** File in which they collect errors that belong to no test: one line of JSON each. */
const OUTSIDE_FILE = 'out/test/outside-tests.txt';
/**
 * Maximum length of the reason for the first failure, in characters, including the test's messages about the
 * app.
 */
const REASON_LENGTH = 10_000;

/** A test that passed only at its second attempt. */
export interface SecondTry {
	/** The step of `npm test` in which the test ran. */
	readonly step: string;
	readonly file: string;
	/** The title without those of its groups. */
	readonly title: string;
	/** The title with those of its groups. */
	readonly name: string;
	/** Why the first attempt failed. */
	readonly why: string;
}

/** An error that belongs to no test, such as that of a promise that nobody awaited. */
export interface Outside {
	/** The step of `npm test` in which the error occurred. */
	readonly step: string;
	readonly message: string;
	readonly stack: string;
}

/** A Vitest reporter: records every test that needed a second attempt, because that is a defect to be found. */
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

	/** An error that fails a run although all its tests passed must be reported in the end as well. */
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

/** The second attempts of this `npm test`. */
export function readSecondTries(): readonly SecondTry[] {
	return read<SecondTry>(FILE);
}

/** The errors of this `npm test` that belong to no test. */
export function readOutside(): readonly Outside[] {
	return read<Outside>(OUTSIDE_FILE);
}

/** The tests that failed again in another run with one attempt each; a test missing there counts as failed. */
export function failedAgain(tries: readonly SecondTry[], report: Report | null): readonly SecondTry[] {
	return tries.filter(({ file, title }) => {
		const there = report?.testResults.find(({ name }) => name.replaceAll('\\', '/').endsWith(file));
		const mine = there?.assertionResults.filter((one) => one.title === title) ?? [];
		return mine.length === 0 || mine.some(({ status }) => status === 'failed');
	});
}
