import type { Clock } from '#shared/lib/clock.ts';
import { parseHttpDate } from '#shared/lib/http-dates.ts';

/** A probe of a service that keeps failing goes out this often at most (faults 11). */
const PROBE_PERIOD_MS = 30_000;
/** This many 5xx in a row, over all calls, open the circuit. */
const FAILURES_TO_OPEN = 6;

/** Retries are paid from a bucket that only successes fill, so a dead service is not stormed (faults 9). */
const BUCKET = 30;
const RETRY_COST = 3;

/** A proxy's cached answer carries an old date; so does a service from before this product. */
const EARLIEST_DATE_MS = 1_577_836_800_000;

/** What we know about one REST base: its clock, its patience, its health. Lives as long as the client. */
export interface ServiceState {
	/** The service's time now, Unix ms; this computer's until it has answered once. */
	now(): number;
	/** The same, null until it has told its time: not this computer's word. */
	heardNow(): number | null;
	/** Takes the clock from an answer's headers. */
	heardDate(headers: Headers): void;
	/** Ms until the service wants to hear from this key again: limits are an account's. */
	pauseMs(key: string): number;
	pauseFor(key: string, delayMs: number): void;
	/** Takes the price of one retry out of the bucket; false when it is empty. */
	payRetry(): boolean;
	/** Call before each try; false while the circuit is open and no probe is due. */
	mayTry(): boolean;
	/** True while failing persistently: a try is then a probe and is not repeated. */
	isFailing(): boolean;
	heardAnswer(status: number): void;
}

export function createServiceState(clock: Clock): ServiceState {
	let offset: number | null = null;
	/** By key, `Clock.now`. */
	const quietUntil = new Map<string, number>();
	let tokens = BUCKET;
	let failures = 0;
	let lastTry = Number.NEGATIVE_INFINITY;

	return {
		now: () => (offset === null ? clock.wall() : clock.now() + offset),
		heardNow: () => (offset === null ? null : clock.now() + offset),
		heardDate(headers) {
			const at = parseHttpDate(headers.get('date') ?? '');
			if (at === null || at < EARLIEST_DATE_MS || Number(headers.get('age') ?? 0) > 0) return;
			// The header counts whole seconds: half of one is the best guess for the rest.
			offset = at + 500 - clock.now();
		},
		pauseMs: (key) => Math.max(0, (quietUntil.get(key) ?? 0) - clock.now()),
		pauseFor(key, delayMs) {
			quietUntil.set(key, Math.max(quietUntil.get(key) ?? 0, clock.now() + delayMs));
		},
		payRetry() {
			if (tokens < RETRY_COST) return false;
			tokens -= RETRY_COST;
			return true;
		},
		mayTry() {
			if (failures >= FAILURES_TO_OPEN && clock.now() - lastTry < PROBE_PERIOD_MS) return false;
			lastTry = clock.now();
			return true;
		},
		isFailing: () => failures >= FAILURES_TO_OPEN,
		heardAnswer(status) {
			failures = status >= 500 ? failures + 1 : 0;
			if (status < 400) tokens = Math.min(BUCKET, tokens + RETRY_COST);
		},
	};
}
