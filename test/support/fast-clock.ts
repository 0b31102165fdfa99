import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createManualClock } from './manual-clock.ts';

/** Real time that one look at the clock may let pass, ms: what a busy machine takes beyond it is not ours to wait out. */
const MOST_MS = 5;

/**
 * Real time, `factor` times as fast: for waits and deadlines of real sockets without waiting them out. While this process does not get
 * to run, faster time stands still, so that a deadline is missed by the other side only; with `factor` 1 it is real time.
 */
export function createFastClock(factor: number): Clock {
	const clock = createManualClock(Date.now());
	let seenMs = performance.now();
	let beat: NodeJS.Timeout | null = null;

	function passed(): number {
		const most = beat === null || factor === 1 ? Number.POSITIVE_INFINITY : MOST_MS;
		return Math.min(performance.now() - seenMs, most) * factor;
	}

	function pass(): void {
		const ms = passed();
		seenMs = performance.now();
		clock.advance(ms);
		if (beat === null || clock.pending > 0) return;
		clearInterval(beat);
		beat = null;
	}

	function add(start: (sinceMs: number) => Cancel): Cancel {
		if (beat === null) {
			pass();
			beat = setInterval(pass, 1);
		}
		return start(passed());
	}

	return {
		now: () => clock.now() + passed(),
		wall: () => clock.wall() + passed(),
		after: (delayMs, run) => add((sinceMs) => clock.after(Math.max(0, delayMs) + sinceMs, run)),
		every: (periodMs, run) => add(() => clock.every(periodMs, run)),
	};
}
