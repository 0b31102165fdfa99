/** One second's measurements of one direction of the line. */
export interface WayReading {
	/** Share of packets that did not arrive, 0..1; null = not known. */
	readonly lossRatio: number | null;
	/** How much longer the round trip is than the shortest one seen, because packets queue, ms. */
	readonly queuedMs: number;
}

export interface FitLimits {
	/** Number of steps below the first. */
	readonly steps: number;
	/** Losses from here on mean a line that is too narrow, if packets queue as well. */
	readonly lossRatio: number;
	/** And from here on even if none queue: the line drops what it cannot take. Then it goes to the last step at once. */
	readonly hopelessRatio: number;
	/** How many informative readings in a row must agree. */
	readonly readings: number;
}

/** How much one direction of a line is asked to carry: 0 = everything, each step up less. */
export interface LineFit {
	/** Returns the step from now on. */
	take(reading: WayReading, nowMs: number): number;
	/** Goes to the last step at once, whatever was read, and returns it. */
	yield(): number;
}

const QUEUED_MS = 250;
/** A gap in the line shows as losses in the one second in which it ends; this much in two is no gap. */
const HOPELESS_READINGS = 2;
/** Nothing is lost yet, but a queue this long must be shortened. */
const OVERFULL_MS = 1500;
/** The line is idle again below this. */
const FREE_MS = 150;
/** After this long on an idle line a step back down is tried; the wait doubles each time that proves too much. */
const FIRST_WAIT_MS = 10_000;
const LAST_WAIT_MS = 120_000;
/** An increase taken back within this time was too much. */
const TRIED_MS = 15_000;

/**
 * Losses alone are no reason to send less: bad radio loses as much when little is sent. Losses with a queue are,
 * because then our own packets fill the line. It decreases quickly and increases slowly, so that it does not oscillate.
 */
export function createLineFit(limits: FitLimits): LineFit {
	let step = 0;
	let bad = 0;
	let hopeless = 0;
	let freeSinceMs: number | null = null;
	let waitMs = FIRST_WAIT_MS;
	let triedMs = Number.NEGATIVE_INFINITY;

	function down(isHopeless: boolean, nowMs: number): void {
		bad = hopeless = 0;
		if (step === limits.steps) return;
		step = isHopeless ? limits.steps : step + 1;
		if (nowMs - triedMs < TRIED_MS) waitMs = Math.min(LAST_WAIT_MS, 2 * waitMs);
	}

	return {
		take({ lossRatio, queuedMs }, nowMs) {
			const isHopeless = lossRatio !== null && lossRatio >= limits.hopelessRatio;
			const isLossy = lossRatio !== null && lossRatio >= limits.lossRatio && queuedMs >= QUEUED_MS;
			if (isHopeless || isLossy || queuedMs >= OVERFULL_MS) {
				freeSinceMs = null;
				bad += 1;
				hopeless = isHopeless ? hopeless + 1 : 0;
				if (bad >= limits.readings || hopeless >= HOPELESS_READINGS) down(isHopeless, nowMs);
				return step;
			}
			if (lossRatio === null) return step;
			bad = hopeless = 0;
			if (queuedMs >= FREE_MS) {
				freeSinceMs = null;
				return step;
			}
			freeSinceMs ??= nowMs;
			if (step > 0 && nowMs - freeSinceMs >= waitMs) {
				step -= 1;
				triedMs = freeSinceMs = nowMs;
			} else if (step === 0 && nowMs - triedMs >= LAST_WAIT_MS) {
				waitMs = FIRST_WAIT_MS;
			}
			return step;
		},
		yield() {
			step = limits.steps;
			bad = hopeless = 0;
			freeSinceMs = null;
			return step;
		},
	};
}
