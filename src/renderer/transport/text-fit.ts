import { createLineFit, type FitLimits } from './line-fit.ts';
import type { LineReading } from './livekit-stats.ts';

/**
 * Texts come by a channel in which nothing overtakes, and whose sender repeats what was lost after 1, 3, 7 and 15 s, one
 * packet at a time (pion/sctp 1.8.36, the server's): with unfinished texts in it a queue grows in which the finished ones wait.
 * Measured with that sender: where 10 % are lost, 17 % are asked for again, and finished texts come as soon with the
 * unfinished ones as without; where 15 % are lost (22 % asked for again) a quarter of them is later than 3 s with the others, and one in
 * twelve without.
 */
const LIMITS: FitLimits = { steps: 1, lossRatio: 0.06, hopelessRatio: 0.21, readings: 2 };
/** Of so many readings the one in the middle counts: a gap in the line is one of them, bad radio all. */
const READINGS = 5;

/** Whether a line has room for unfinished texts beside the finished ones. */
export interface TextFit {
	/** Returns whether only the finished ones come through in time, from now on. */
	take(reading: Pick<LineReading, 'askedAgain' | 'queuedMs'>, nowMs: number): boolean;
}

export function createTextFit(): TextFit {
	const fit = createLineFit(LIMITS);
	/** Shares that were asked for again, the newest last. */
	let last: readonly number[] = [];
	return {
		take({ askedAgain, queuedMs }, nowMs) {
			if (askedAgain !== null) last = [...last, askedAgain].slice(-READINGS);
			return fit.take({ lossRatio: askedAgain === null ? null : medianOf(last), queuedMs }, nowMs) > 0;
		},
	};
}

/** Of an even number the lower one. */
function medianOf(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}
