import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestCase } from 'vitest/node';

/** Where the runs of one `npm test` collect the tests that passed only when they were tried again. */
export const SECOND_TRIES_FILE = 'out/test/second-tries.txt';
/** So much of what went wrong the first time, characters. */
const REASON_LENGTH = 300;

/** A Vitest reporter: a test that needed a second try is a defect to be found, so it is never silent. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter's file by its default export.
export default class SecondTries implements Reporter {
	onTestCaseResult(test: TestCase): void {
		if (!test.diagnostic()?.flaky) return;
		const [why] = test.result().errors ?? [];
		const said = why ? ` (${why.message.replaceAll(/\s+/g, ' ').slice(0, REASON_LENGTH)})` : '';
		mkdirSync(dirname(SECOND_TRIES_FILE), { recursive: true });
		appendFileSync(SECOND_TRIES_FILE, `${test.module.relativeModuleId}: ${test.fullName}${said}\n`);
	}
}
