import { z } from 'zod/mini';
import { type Clock, pause } from '#shared/lib/clock.ts';

/** The result of checking one thing that the app relies on in its shell. */
export const SmokeRow = z.object({
	name: z.string(),
	/** `not here`: this shell or this system has no such thing. */
	state: z.enum(['yes', 'no', 'not here']),
	/** The result or the failure, in words. */
	seen: z.string(),
});
export type SmokeRow = z.infer<typeof SmokeRow>;
export const SmokeReport = z.array(SmokeRow);

/** File in the folder of user data that the rows are written to. */
export const SMOKE_FILE = 'smoke.json';

/** Checks one thing and returns what it found. On failure throws; `NotHere` if the check does not apply. */
export interface SmokeCheck {
	readonly name: string;
	readonly look: () => string | Promise<string>;
}

/** This shell or this system has no such thing. */
export class NotHere extends Error {}

/** The errors that the stand-in throws for a missing feature (`stand-in/strict.ts`). */
const LACKS = /^not in the stand-in: /;

const LIMIT_MS = 15_000;

/** One check after the other, each for 15 s at most; a failure of one does not stop the others. */
export async function takeSmoke(
	checks: readonly SmokeCheck[],
	clock: Pick<Clock, 'after'>,
): Promise<SmokeRow[]> {
	const rows: SmokeRow[] = [];
	for (const { name, look } of checks) rows.push({ name, ...(await outcomeOf(look, clock)) });
	return rows;
}

async function outcomeOf(
	look: SmokeCheck['look'],
	clock: Pick<Clock, 'after'>,
): Promise<Pick<SmokeRow, 'state' | 'seen'>> {
	const done = new AbortController();
	const limit = pause(clock, LIMIT_MS, done.signal).then((late) => {
		if (late) throw new Error(`no answer within ${LIMIT_MS / 1000} s`);
		return '';
	});
	try {
		return { state: 'yes', seen: await Promise.race([look(), limit]) };
	} catch (failure) {
		const seen = failure instanceof Error ? failure.message : String(failure);
		return { state: failure instanceof NotHere || LACKS.test(seen) ? 'not here' : 'no', seen };
	} finally {
		done.abort();
	}
}
