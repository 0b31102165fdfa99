import { createSystemClock } from '#main/system-clock.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';

/** Real time that one look at the clock may let pass, ms: what a busy machine takes beyond it is not ours to wait out. */
const MOST_MS = 5;

interface Timer {
	dueMs: number;
	/** 0 = once. */
	readonly periodMs: number;
	readonly run: () => void;
}

/**
 * Real time, `factor` times as fast: for waits and deadlines of real sockets without waiting them out. While this process does not get
 * to run, faster time stands still, so that a deadline is missed by the other side only; with `factor` 1 it is real time.
 */
export function createFastClock(factor: number): Clock {
	return factor === 1 ? createSystemClock() : createFaster(factor);
}

function createFaster(factor: number): Clock {
	const wallStart = Date.now();
	const timers = new Set<Timer>();
	let passedMs = 0;
	let seenMs = performance.now();
	let beat: NodeJS.Timeout | null = null;

	function now(): number {
		const most = beat === null ? Number.POSITIVE_INFINITY : MOST_MS;
		return passedMs + Math.min(performance.now() - seenMs, most) * factor;
	}

	/** What a timer starts waits for the next look at the earliest, so that messages can come in between. */
	function look(): void {
		passedMs = now();
		seenMs = performance.now();
		const due = [...timers]
			.filter(({ dueMs }) => dueMs <= passedMs)
			.sort((one, next) => one.dueMs - next.dueMs);
		for (const timer of due) {
			if (!timers.delete(timer)) continue;
			// Missed periods do not pile up.
			if (timer.periodMs > 0) timers.add(Object.assign(timer, { dueMs: passedMs + timer.periodMs }));
			timer.run();
		}
		if (beat === null || timers.size > 0) return;
		clearInterval(beat);
		beat = null;
	}

	function add(delayMs: number, periodMs: number, run: () => void): Cancel {
		if (beat === null) {
			look();
			beat = setInterval(look, 1);
		}
		const timer: Timer = { dueMs: now() + Math.max(0, delayMs), periodMs, run };
		timers.add(timer);
		return () => void timers.delete(timer);
	}

	return {
		now,
		wall: () => wallStart + now(),
		after: (delayMs, run) => add(delayMs, 0, run),
		every: (periodMs, run) => add(periodMs, periodMs, run),
	};
}
