/** How much must be in hand for a voice to be heard without a stop, learned from how late its pieces came. */
export interface Prebuffer {
	/** 0 to 400 ms, in steps of 2. */
	readonly targetMs: number;
	/** Takes how much later a piece came than due with an empty buffer; less than 0 = in time. */
	arrived(lateMs: number, nowMs: number): void;
}

const STEP_MS = 2;
const MOST_MS = 400;
const STEPS = MOST_MS / STEP_MS;
/** Sound is fetched in quanta of 2.7 ms: a piece late by less is in time. */
const QUANTUM_MS = 4;
/** Only the latest piece of each interval counts: one stall, however many pieces it held up, is one event. */
const INTERVAL_MS = 500;
/** In nine of ten intervals no piece is later than the buffer covers; later ones are concealed (`Concealment`). */
const QUANTILE = 0.92;
/** Weight of an interval after each further one: half of it is forgotten in twenty seconds. */
const KEPT = 0.983;
/** It starts as if this many intervals had been in time, so that a single accident counts little. */
const QUIET_INTERVALS = 10;

/**
 * A quantile of the lateness of pieces from a histogram that forgets, as in WebRTC's NetEq (`UnderrunOptimizer`). Takes
 * no memory after it was made.
 */
export function createPrebuffer(): Prebuffer {
	/** Weight of the intervals by the lateness of their latest piece, in steps, rounded up. */
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
			// The first piece after an interval begins the next: a burst after a stall is never split.
			if (!(nowMs < endsMs)) {
				endsMs = nowMs + INTERVAL_MS;
				worstMs = 0;
			}
			worstMs = Math.max(worstMs, lateMs);
		},
	};
}
