import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';

/** A server that means it says why, by another way; it is given so long. */
const REASON_MS = 400;

/**
 * Notices that the far end of our connections is gone. It closes their channels when it goes, and that is all there is to
 * see of it: the connections say that they are well, the socket stays open. The library (2.18.7) compares what it knows
 * every four seconds and gives up at the third look, nine seconds later; here the room is joined anew at once.
 *
 * `channel` is the one in use now, null when there is none; `mayJoin` whether the link is up, as far as anybody knows.
 */
export function createChannelWatch(parts: {
	readonly clock: Pick<Clock, 'after'>;
	readonly log: Logger;
	readonly channel: () => Pick<RTCDataChannel, 'addEventListener' | 'removeEventListener'> | null;
	readonly mayJoin: () => boolean;
	readonly joinAnew: () => void;
}): { follow(): void; close(): void } {
	const { clock, log, channel, mayJoin, joinAnew } = parts;
	let end: Cancel = () => {};

	function follow(): void {
		end();
		const followed = channel();
		let wait: Cancel = () => {};
		const lost = () => {
			wait = clock.after(REASON_MS, () => {
				if (!mayJoin() || channel() !== followed) return;
				log.info('the far end has closed our channels');
				joinAnew();
			});
		};
		followed?.addEventListener('close', lost, { once: true });
		end = () => {
			wait();
			followed?.removeEventListener('close', lost);
		};
	}

	return { follow, close: () => end() };
}
