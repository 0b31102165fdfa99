import { appendFileSync, mkdirSync } from 'node:fs';

/** Where the runs of one `npm test` collect what they had to leave out. */
export const NOT_RUN_FILE = 'out/test/not-run.txt';

/**
 * Says that something was not tested here and why; `npm test` lists it at its end. Returns true, so
 * that it reads `it.skipIf(missing && notRun('…', missing))`.
 */
export function notRun(what: string, reason: string): true {
	// Parts that are only hidden (scripts/bare.ts) are installed, and their tests did run.
	if (!process.env.DRAGOMAN_TEST_BARE) {
		mkdirSync('out/test', { recursive: true });
		appendFileSync(NOT_RUN_FILE, `${JSON.stringify({ what, reason: reason.replaceAll('\n', ' ') })}\n`);
	}
	console.warn(`not run: ${what}: ${reason}`);
	return true;
}
