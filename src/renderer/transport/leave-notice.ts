import type { Room } from 'livekit-client';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';

/** What the library calls a leave that wants us back (2.18.7, `leaveReconnect`). */
const ASKED_TO_LEAVE = 'leave-reconnect';
/** Reason for the socket's close, which follows; it carries only messages about the room. */
const SOCKET_CLOSED = 'signal';
/** Time to join another session, and to wait for a pause and the last sentences, ms. */
const STAY_MS = 20_000;

/**
 * When a server asks to be left and joined anew (`LeaveRequest` with the action `RECONNECT`, as a region that is going
 * away sends it), the library (2.18.7) drops both connections at once: a second or two of silence. If they still work,
 * as the open channel shows, there is time for another session beside it: `leaving` is called, and the library is held
 * back until the channel closes, a connection fails or the time is up. A server that goes away itself closes the
 * channel along with its request.
 */
export function heedLeave(parts: {
	readonly room: Room;
	readonly clock: Pick<Clock, 'after'>;
	readonly log: Logger;
	/** The channel in use now; null when there is none. */
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
		// The library would notice the missing socket after some ten seconds and take everything apart; it resumes checking
		// after joining anew.
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
