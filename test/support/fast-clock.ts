import type { Clock } from '#shared/lib/clock.ts';

/** Real time, `factor` times as fast: for deadlines of real sockets without waiting them out. */
export function createFastClock(factor: number): Clock {
	const start = performance.now();
	const wallStart = Date.now();
	const passed = () => (performance.now() - start) * factor;
	return {
		now: passed,
		wall: () => wallStart + passed(),
		after(delayMs, run) {
			// Node's timers may fire up to 1 ms before their time, which would be `factor` ms here.
			const timer = setTimeout(run, Math.max(0, delayMs) / factor + 1);
			return () => clearTimeout(timer);
		},
		every(periodMs, run) {
			const timer = setInterval(run, periodMs / factor);
			return () => clearInterval(timer);
		},
	};
}
