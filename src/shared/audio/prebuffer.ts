/** How much must be in hand for a voice to be heard without a stop, learned from how late its pieces came. */
export interface Prebuffer {
	/** 0 to 400 ms, in steps of 2. */
	readonly targetMs: number;
	/** A piece came so much later than its sound would have been due with nothing in hand; less than 0 = in time. */
	arrived(lateMs: number, nowMs: number): void;
}

const STEP_MS = 2;
const MOST_MS = 400;
const STEPS = MOST_MS / STEP_MS;
/** Sound is fetched in quanta of 2.7 ms: what comes late by less comes in time. */
const QUANTUM_MS = 4;
/** Of so long only the latest piece counts: one stall, however many pieces it held up, is one event. */
const INTERVAL_MS = 500;
/** Nine of ten such intervals have no piece that is later than what is in hand; what is, is hidden (`Concealment`). */
const QUANTILE = 0.92;
/** What an interval weighs after the next: half of it is forgotten in twenty seconds. */
const KEPT = 0.983;
/** It begins as after so many intervals in which nothing was late, so that a single accident says nothing. */
const QUIET_INTERVALS = 10;

/**
 * A quantile of the lateness of pieces from a histogram that forgets, as in WebRTC's NetEq (`UnderrunOptimizer`). Takes
 * no memory after it was made.
 */
export function createPrebuffer(): Prebuffer {
	/** How much intervals weigh whose latest piece was late by so many steps, rounded up. */
	const weights = new Float64Array(STEPS + 1);
	weights[0] = QUIET_INTERVALS;
	let total = QUIET_INTERVALS;
	let targetMs = 0;
	let worstMs = 0;
	let endsMs = Number.NaN;

	function remember(): void {
		const late = Math.max(0, worstMs - QUANTUM_MS);
		const step = Math.min(STEPS, Math.ceil(late / STEP_MS));
		for (let at = 0; at <= STEPS; at += 1) weights[at] = (weights[at] ?? 0) * KEPT;
		weights[step] = (weights[step] ?? 0) + 1;
		total = total * KEPT + 1;
		let later = 0;
		let at = STEPS;
		for (; at > 0; at -= 1) {
			later += weights[at] ?? 0;
			if (later > total * (1 - QUANTILE)) break;
		}
		targetMs = at * STEP_MS;
	}

	return {
		get targetMs() {
			return targetMs;
		},
		arrived(lateMs, nowMs) {
			if (nowMs >= endsMs) remember();
			// The first of an interval begins it: a burst after a stall is never cut in two.
			if (!(nowMs < endsMs)) {
				endsMs = nowMs + INTERVAL_MS;
				worstMs = 0;
			}
			worstMs = Math.max(worstMs, lateMs);
		},
	};
}
