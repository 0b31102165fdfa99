import { appendFileSync, mkdirSync } from 'node:fs';
import { relative } from 'node:path';

/** Where the runs of one `npm test` collect what they had to leave out: a line of JSON for each. */
export const NOT_RUN_FILE = 'out/test/not-run.txt';

/** A test that skipped itself, and why. */
export interface LeftOut {
	readonly what: string;
	readonly reason: string;
	/** Said in the first pass, where tools are only hidden (scripts/bare.ts). */
	readonly bare?: true;
	/** The test file, where it runs in a process of its own. */
	readonly file?: string;
}

/**
 * Says that something was not tested here and why; `npm test` lists it at its end, if it was not tested in the second
 * pass either. The test must be skipped then. Returns true, so that it reads `it.skipIf(missing && notRun('…', missing))`.
 */
export function notRun(what: string, reason: string): true {
	const worker = (globalThis as { __vitest_worker__?: { readonly filepath?: string } }).__vitest_worker__;
	const said: LeftOut = {
		what,
		reason: reason.replaceAll('\n', ' '),
		...(process.env.DRAGOMAN_TEST_BARE ? { bare: true } : {}),
		...(worker?.filepath ? { file: relative('', worker.filepath).replaceAll('\\', '/') } : {}),
	};
	mkdirSync('out/test', { recursive: true });
	appendFileSync(NOT_RUN_FILE, `${JSON.stringify(said)}\n`);
	console.warn(`not run: ${what}: ${reason}`);
	return true;
}
