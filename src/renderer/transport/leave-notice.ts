import type { Room } from 'livekit-client';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';

/** What the library calls a leave that wants us back (2.18.7, `leaveReconnect`). */
const ASKED_TO_LEAVE = 'leave-reconnect';
/** Its socket closed, which follows: nothing travels by it but what is about the room. */
const SOCKET_CLOSED = 'signal';
/** Another session is joined, and its pause and the last sentences are waited for, within this, ms. */
const STAY_MS = 20_000;

/**
 * A server that wants to be left and joined anew (`LeaveRequest` with the action `RECONNECT`, as a region that is going away
 * sends it) is left by the library (2.18.7) at once, with both connections: a second or two of silence. Where they go on, as
 * the open channel shows, there is time for another session beside it: `leaving` is told, and the library is held back until
 * the channel closes, a connection fails or the time is up. A server that goes itself closes the channel with its word.
 */
export function heedLeave(parts: {
	readonly room: Room;
	readonly clock: Pick<Clock, 'after'>;
	readonly log: Logger;
	/** The one in use now; null when there is none. */
	readonly channel: () => Pick<RTCDataChannel, 'readyState' | keyof EventTarget> | null;
	/** The link is up, as far as anybody knows. */
	readonly isUp: () => boolean;
	readonly leaving: () => void;
}): { close(): void } {
	const { room, clock, log, channel, isUp, leaving } = parts;
	const { engine } = room;
	const disconnected: unknown = Reflect.get(engine, 'handleDisconnect');
	let goAnew: (() => void) | null = null;
	let end: Cancel = () => {};
	if (typeof disconnected !== 'function') return { close() {} };

	function pass(given: readonly unknown[]): void {
		Reflect.apply(disconnected as () => void, engine, given);
	}

	function stay(open: NonNullable<ReturnType<typeof channel>>, given: readonly unknown[]): void {
		log.info('the server wants to be left');
		const go = () => {
			if (goAnew !== go) return;
			end();
			goAnew = null;
			pass(given);
		};
		const cancel = clock.after(STAY_MS, go);
		open.addEventListener('close', go, { once: true });
		end = () => {
			cancel();
			open.removeEventListener('close', go);
		};
		goAnew = go;
		// It misses the socket after some ten seconds and takes everything apart; it looks again when it has joined anew.
		const quiet: unknown = Reflect.get(room, 'clearConnectionReconcile');
		if (typeof quiet === 'function') Reflect.apply(quiet, room, []);
		leaving();
	}

	Reflect.set(engine, 'handleDisconnect', (...given: unknown[]) => {
		const [why] = given;
		if (goAnew) return why === SOCKET_CLOSED || why === ASKED_TO_LEAVE ? undefined : goAnew();
		const open = channel();
		const mayStay = why === ASKED_TO_LEAVE && engine.fullReconnectOnNext && isUp();
		if (!mayStay || open?.readyState !== 'open') return pass(given);
		stay(open, given);
	});

	return {
		close() {
			end();
			goAnew = null;
		},
	};
}
