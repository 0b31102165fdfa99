/** What one second tells of one way of the line. */
export interface WayReading {
	/** Share of packets that did not arrive, 0..1; null = not known. */
	readonly lossRatio: number | null;
	/** How much longer the round trip is than the shortest one seen: packets that stand in a queue, ms. */
	readonly queuedMs: number;
}

export interface FitLimits {
	/** Steps there are below the first. */
	readonly steps: number;
	/** Losses from here on mean a line that is too narrow, if packets queue as well. */
	readonly lossRatio: number;
	/** And from here on even if none does: a line that throws away what it cannot take. Then the least is asked at once. */
	readonly hopelessRatio: number;
	/** So many readings in a row must say it, of all that told anything. */
	readonly readings: number;
}

/** How much is asked of one way of a line: 0 = everything, each step up less. */
export interface LineFit {
	/** Returns the step from now on. */
	take(reading: WayReading, nowMs: number): number;
	/** Asks for the least at once, whatever was read, and returns that step. */
	yield(): number;
}

const QUEUED_MS = 250;
/** A gap in the line counts as losses of the one second in which it ends; so much in two is no gap. */
const HOPELESS_READINGS = 2;
/** Nothing is lost yet, but so long a queue is ours to shorten. */
const OVERFULL_MS = 1500;
/** The line is idle again below this. */
const FREE_MS = 150;
/** After so long on a line that is free more is asked of it; twice as long each time that was too much. */
const FIRST_WAIT_MS = 10_000;
const LAST_WAIT_MS = 120_000;
/** A step up that is taken back within this was too much. */
const TRIED_MS = 15_000;

/**
 * Losses alone are no reason to send less: on bad radio they are as many when little is sent. Losses with a queue are,
 * for then it is our own packets that fill the line. Less is asked for soon, more only late, so that it does not swing.
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
