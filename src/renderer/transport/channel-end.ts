import type { Clock } from '#shared/lib/clock.ts';

/** A bad line may take longer to acknowledge; leaving does not wait for that. */
const LIMIT_MS = 400;

/**
 * Closes a data channel and resolves when the far end has closed its own, which it does after everything that was sent
 * has reached it (RFC 8831, 6.7), or after 400 ms. A connection that is closed loses what is still on the way.
 */
export function endChannel(channel: RTCDataChannel | undefined, clock: Clock): Promise<void> {
	if (channel?.readyState !== 'open') return Promise.resolve();
	return new Promise((resolve) => {
		const done = () => {
			cancel();
			channel.removeEventListener('close', done);
			resolve();
		};
		const cancel = clock.after(LIMIT_MS, done);
		channel.addEventListener('close', done);
		channel.close();
	});
}
