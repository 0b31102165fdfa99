import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';

/**
 * A server that leaves on purpose says why, on another channel, which may lose a packet: four round trips, but not less
 * than this.
 */
const REASON_MS = 400;
const ROUND_TRIPS = 4;
/** If it happens again within this time, joining anew does not help, and the library's own recovery takes over. */
const AGAIN_MS = 30_000;

/**
 * Notices that the far end of our connections is gone. The only sign is that it closes their channels as it goes: the
 * connections still report that they are up, and the socket stays open. The library (2.18.7) compares its state every
 * four seconds and gives up at the third check, nine seconds later; here the room is joined anew at once.
 *
 * `channel` is the one in use now, null when there is none; `mayJoin` whether the link is up, as far as anybody knows.
 */
export function createChannelWatch(parts: {
	readonly clock: Clock;
	readonly log: Logger;
	readonly channel: () => Pick<RTCDataChannel, 'readyState' | keyof EventTarget> | null;
	readonly roundTripMs: () => number;
	readonly mayJoin: () => boolean;
	readonly joinAnew: () => void;
}): { follow(): void; close(): void } {
	const { clock, log, channel, mayJoin, joinAnew } = parts;
	let end: Cancel = () => {};
	let joinedMs = Number.NEGATIVE_INFINITY;

	function follow(): void {
		end();
		const followed = channel();
		let wait: Cancel = () => {};
		const lost = () => {
			wait = clock.after(Math.max(REASON_MS, ROUND_TRIPS * parts.roundTripMs()), () => {
				if (!mayJoin() || channel() !== followed || clock.now() < joinedMs + AGAIN_MS) return;
				log.info('the far end has closed our channels');
				joinedMs = clock.now();
				joinAnew();
			});
		};
		followed?.addEventListener('close', lost, { once: true });
		end = () => {
			wait();
			followed?.removeEventListener('close', lost);
		};
		// A channel that closed while the link was being restored sends no further event.
		if (followed?.readyState === 'closing' || followed?.readyState === 'closed') lost();
	}

	return { follow, close: () => end() };
}
