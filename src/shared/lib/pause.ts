import type { Clock } from './clock.ts';

/** Resolves to true after `delayMs`, or at once to false when cancelled. */
export function pause(clock: Pick<Clock, 'after'>, delayMs: number, signal?: AbortSignal): Promise<boolean> {
	if (signal?.aborted) return Promise.resolve(false);
	return new Promise((done) => {
		const stop = () => {
			cancel();
			done(false);
		};
		const cancel = clock.after(delayMs, () => {
			signal?.removeEventListener('abort', stop);
			done(true);
		});
		signal?.addEventListener('abort', stop, { once: true });
	});
}

/** How often `until` looks, ms. */
const LOOK_MS = 50;

/** Waits until it is so, at most `limitMs`; false when it never was, or when cancelled. */
export async function until(
	clock: Clock,
	isSo: () => boolean,
	limitMs: number,
	signal: AbortSignal,
): Promise<boolean> {
	const endMs = clock.now() + limitMs;
	while (!isSo()) if (clock.now() >= endMs || !(await pause(clock, LOOK_MS, signal))) return false;
	return true;
}
