import type { Cancel, Clock } from './clock.ts';

/**
 * Waits for `what`, but at most `limitMs`, after which it goes on in the background. Rejects if `what` does so in time.
 */
export async function atMost(
	clock: Pick<Clock, 'after'>,
	limitMs: number,
	what: Promise<unknown>,
): Promise<void> {
	let cancel: Cancel = () => {};
	const limit = new Promise<void>((done) => {
		cancel = clock.after(limitMs, done);
	});
	try {
		await Promise.race([what, limit]);
	} finally {
		cancel();
	}
}
