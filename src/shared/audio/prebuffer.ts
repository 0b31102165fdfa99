/** How much must be there before a voice begins, learned from how late its pieces came. */
export interface Prebuffer {
	/** In steps of 20 ms, 0 to 400. */
	readonly targetMs: number;
	/** A piece came so much later than its sound was needed; less than 0 = in time. */
	arrived(lateMs: number, nowMs: number): void;
}

const STEP_MS = 20;
const MOST_MS = 400;
/** Sound is fetched in quanta of 2.7 ms: what comes late by less comes in time. */
const QUANTUM_MS = 3;
/** Trouble that is over is forgotten, so that no stall is kept for ever (goals P4). */
const MEMORY_MS = 2000;
/** All but one in twenty pieces come in time (goals A2.3). */
const SHARE = 0.95;

/** The 95th percentile of the deviations of the last two seconds. */
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
			// Of a few, the worst one is an accident.
			const p95 = sorted[Math.min(sorted.length - 2, Math.floor(sorted.length * SHARE))] ?? 0;
			targetMs = Math.min(MOST_MS, Math.ceil(Math.max(0, p95 - QUANTUM_MS) / STEP_MS) * STEP_MS);
		},
	};
}
