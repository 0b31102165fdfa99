/** How much must be there before a voice begins, learned from how late its pieces came. */
export interface Prebuffer {
	/** 0 to 400 ms. */
	readonly targetMs: number;
	/** A piece came so much later than its sound was needed; less than 0 = in time. */
	arrived(lateMs: number, nowMs: number): void;
}

const STEP_MS = 10;
const MOST_MS = 400;
/** Sound is fetched in quanta of 2.7 ms: what comes late by less comes in time. */
const QUANTUM_MS = 3;
/** Trouble that is over is forgotten, so that no stall is kept for ever. */
const MEMORY_MS = 4000;
/** Four pieces of five are late by no more than this, or come in time … */
const USUAL_SHARE = 0.8;
/** … and what is later than this many times as much is a stall and not the way's own unevenness. */
const STALL_TIMES = 3;
/** Where nothing is uneven a piece late by so much says nothing yet, ms. */
const STALL_LEAST_MS = 20;

/** The worst of the last four seconds, stalls left out: one late piece in twenty is heard each second. */
export function createPrebuffer(): Prebuffer {
	const late: { readonly ms: number; readonly atMs: number }[] = [];
	let targetMs = 0;

	return {
		get targetMs() {
			return targetMs;
		},
		arrived(lateMs, nowMs) {
			late.push({ ms: Math.max(0, lateMs), atMs: nowMs });
			while ((late[0]?.atMs ?? nowMs) < nowMs - MEMORY_MS) late.shift();
			const sorted = late.map(({ ms }) => ms).sort((a, b) => a - b);
			const usual = sorted[Math.floor(sorted.length * USUAL_SHARE)] ?? 0;
			const stallMs = Math.max(STALL_LEAST_MS, usual * STALL_TIMES);
			// Of a few, the worst one is an accident.
			const worst = sorted.slice(0, -1).findLast((ms) => ms <= stallMs) ?? 0;
			targetMs = Math.min(MOST_MS, Math.ceil(Math.max(0, worst - QUANTUM_MS) / STEP_MS) * STEP_MS);
		},
	};
}
