import { createSystemClock } from '#main/system-clock.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';

/** A clock that stands still until the test moves it. */
export interface ManualClock extends Clock {
	/** Moves on by `ms`, running what falls due in order, each at its own time. Promises do not settle meanwhile. */
	advance(ms: number): void;
	/** As `advance`, but lets promises settle before, after, and after every timer that ran. */
	run(ms: number): Promise<void>;
	/** The computer sleeps: `ms` pass, and nothing runs before the clock is moved again. */
	sleep(ms: number): void;
	/** Timers that would still fire: 0 when everything that was started has ended. */
	readonly pending: number;
}

interface Timer {
	dueMs: number;
	/** 0 = once. */
	readonly periodMs: number;
	readonly run: () => void;
	readonly order: number;
}

/** Rounds of the microtask queue that `run` allows; more than any chain of awaits in this code base. */
const SETTLE_ROUNDS = 50;

/** `now` starts at 0, `wall` at `wallMs` (default 2026-01-01T00:00:00Z). */
export function createManualClock(wallMs = 1_767_225_600_000): ManualClock {
	const timers = new Set<Timer>();
	let now = 0;
	let order = 0;

	function add(delayMs: number, periodMs: number, run: () => void): Cancel {
		const timer: Timer = { dueMs: now + Math.max(0, delayMs), periodMs, run, order: order++ };
		timers.add(timer);
		return () => void timers.delete(timer);
	}

	function nextUntil(limitMs: number): Timer | undefined {
		let next: Timer | undefined;
		for (const timer of timers) {
			if (timer.dueMs > limitMs) continue;
			if (!next || timer.dueMs < next.dueMs || (timer.dueMs === next.dueMs && timer.order < next.order)) {
				next = timer;
			}
		}
		return next;
	}

	/** Runs the next timer due until `limitMs`; false when there is none. */
	function fire(limitMs: number): boolean {
		const timer = nextUntil(limitMs);
		if (!timer) return false;
		now = Math.max(now, timer.dueMs);
		if (timer.periodMs > 0) timer.dueMs += timer.periodMs;
		else timers.delete(timer);
		timer.run();
		return true;
	}

	return {
		now: () => now,
		wall: () => wallMs + now,
		after: (delayMs, run) => add(delayMs, 0, run),
		every: (periodMs, run) => add(periodMs, Math.max(1, periodMs), run),
		advance(ms) {
			const limit = now + ms;
			while (fire(limit));
			now = limit;
		},
		async run(ms) {
			const limit = now + ms;
			await settle();
			while (fire(limit)) await settle();
			now = limit;
			await settle();
		},
		sleep(ms) {
			now += ms;
		},
		get pending() {
			return timers.size;
		},
	};
}

/** Lets every promise that can settle without time passing do so. */
export async function settle(): Promise<void> {
	for (let round = 0; round < SETTLE_ROUNDS; round += 1) await Promise.resolve();
}

/** Real time that one look at the clock may let pass, ms: what a busy machine takes beyond it is not ours to wait out. */
const MOST_MS = 5;

interface FastTimer {
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
	const timers = new Set<FastTimer>();
	let passedMs = 0;
	let seenMs = performance.now();
	let beat: NodeJS.Timeout | null = null;

	function now(): number {
		const most = beat === null ? Number.POSITIVE_INFINITY : MOST_MS;
		return passedMs + Math.min(performance.now() - seenMs, most) * factor;
	}

	/** A timer started by a timer runs at the next check at the earliest, so that messages can arrive in between. */
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
		const timer: FastTimer = { dueMs: now() + Math.max(0, delayMs), periodMs, run };
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
