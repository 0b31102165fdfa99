import { afterAll, beforeAll } from 'vitest';
import { notRun } from '#test/support/not-run.ts';
import { type LineApp, type LineAppWish, startLineApp } from './line-app.ts';

/** A test over a line may take this long. */
export const LIMIT_MS = 240_000;
/** Back on an idle machine after 1 to 5 s. */
export const BACK_MS = 45_000;
/** Lines of the app's log shown when a test fails. */
const LOG_LINES = 80;

/** One app and one line for the tests of a group, one after the other in one conversation. */
export function withLine(what: string, wish: LineAppWish): { get(): LineApp | null } {
	let made: LineApp | null = null;
	beforeAll(async () => {
		const started = await startLineApp(wish);
		if ('missing' in started) notRun(what, started.missing);
		else made = started;
	}, LIMIT_MS);
	afterAll(() => made?.stop(), 30_000);
	return { get: () => made };
}

export const seconds = (s: number) => new Promise((done) => setTimeout(done, 1000 * s));

/** What the app has logged last, for a test that failed. */
export const lastOfLog = ({ app }: LineApp) => app.log().split('\n').slice(-LOG_LINES).join('\n');
