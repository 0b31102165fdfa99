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
