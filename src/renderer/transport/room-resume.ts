import type { ReconnectPolicy, Room } from 'livekit-client';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Livekit } from './livekit.ts';

/** An ICE restart takes two round trips: enough on the slowest line. */
const RESUME_LIMIT_MS = 6000;
/** How long a lost connection may still appear alive (2.18.7, `minReconnectWait`). */
const OLD_MS = 2000;
/**
 * Delays before jitter. The library's own delays go up to 7 s; with these delays a server that is back is
 * found within 5 s (faults 48). Four attempts fall into the first two seconds, enough to know whether a server
 * is only restarting (`REFUSED_TRIES`).
 */
const RETRIES_MS: readonly number[] = [0, 300, 900, 400, 2500, ...Array.from({ length: 12 }, () => 3000)];
/** Jitter of each delay; the last value applies to all later delays. */
const JITTERS_MS: readonly number[] = [0, 0, 300, 200, 800];
/** The library's reason for a leave that asks us to reconnect (2.18.7, `leaveReconnect`): retry at once. */
const AT_ONCE = 'leave-reconnect';
/** The library's reason after a failed attempt: retried after its back-off. */
const FAILED = 'reconnect';

/** Delays between the library's attempts to restore its link; after about 45 s the conversation takes over. */
export const retries: ReconnectPolicy = {
	nextRetryDelayInMs({ retryCount }) {
		const delayMs = RETRIES_MS[retryCount];
		if (delayMs === undefined) return null;
		return delayMs + Math.random() * (JITTERS_MS[retryCount] ?? JITTERS_MS.at(-1) ?? 0);
	},
};

/** An attempt that fails within this time was refused; an unresponsive host would take longer, ms. */
const REFUSED_MS = 1000;

/** `PCState` of the engine, which the library does not export. */
const CONNECTED = 1;
const DISCONNECTED = 2;
const RECONNECTING = 3;

/**
 * Improves how the library waits for its connections once its socket is back, in three places (2.18.7,
 * `RTCEngine.waitForPCReconnected`):
 * - A restarted server does not know us and refuses a resume; the library waits for its back-off, or as long as
 * for a first join. We make it join anew at once, and give a resume its own limit.
 * - The library first waits two seconds, because the old connections may still appear alive. New connections do not
 * need this.
 * - After a failed wait the library checks the old connection twenty times a second, for ever.
 *
 * The library also reports no outcome of an attempt, so `refused` is called for each refused attempt.
 */
export function limitResumes(parts: {
	readonly livekit: Pick<Livekit, 'ConnectionError' | 'ConnectionErrorReason'>;
	readonly engine: Room['engine'];
	readonly clock: Pick<Clock, 'after' | 'now'>;
	readonly log: Logger;
	/** Limit of a join, ms. */
	readonly joinLimitMs: number;
	readonly refused: () => void;
}): void {
	const { livekit, engine, clock, log, joinLimitMs } = parts;
	const resume: unknown = Reflect.get(engine, 'resumeConnection');
	const restart: unknown = Reflect.get(engine, 'restartConnection');
	const disconnected: unknown = Reflect.get(engine, 'handleDisconnect');
	if (typeof resume !== 'function' || typeof restart !== 'function' || typeof disconnected !== 'function')
		return;
	let triedMs = Number.NEGATIVE_INFINITY;
	/** Aborts the current resume. */
	let resuming: AbortController | null = null;
	/** A resume failed because the server does not know us: the library is about to count the failure and wait. */
	let wantsJoin = false;

	function joinAnew(): void {
		log.info('the server does not know us any more');
		wantsJoin = true;
	}

	function stayAsOld(stop: AbortSignal): Promise<void> {
		return new Promise((resolve) => {
			if (stop.aborted) return resolve();
			const cancel = clock.after(OLD_MS, resolve);
			stop.addEventListener('abort', () => {
				cancel();
				resolve();
			});
		});
	}

	Reflect.set(engine, 'resumeConnection', async (...given: unknown[]) => {
		resuming = new AbortController();
		wantsJoin = false;
		triedMs = clock.now();
		try {
			await Reflect.apply(resume, engine, given);
		} catch (failure) {
			// The server reports this before anything else.
			const { ConnectionError, ConnectionErrorReason } = livekit;
			if (failure instanceof ConnectionError && failure.reason === ConnectionErrorReason.LeaveRequest)
				joinAnew();
			throw failure;
		} finally {
			resuming = null;
		}
	});
	Reflect.set(engine, 'restartConnection', async (...given: unknown[]) => {
		triedMs = clock.now();
		await Reflect.apply(restart, engine, given);
	});
	Reflect.set(engine, 'waitForPCReconnected', async () => {
		const isResume = resuming !== null;
		const stop = resuming ?? new AbortController();
		Reflect.set(engine, 'pcState', RECONNECTING);
		try {
			if (isResume) await stayAsOld(stop.signal);
			if (!engine.pcManager) throw new Error('no connections');
			await engine.pcManager.ensurePCTransportConnection(stop, isResume ? RESUME_LIMIT_MS : joinLimitMs);
			Reflect.set(engine, 'pcState', CONNECTED);
		} catch (failure) {
			Reflect.set(engine, 'pcState', DISCONNECTED);
			throw failure;
		} finally {
			stop.abort();
		}
	});
	Reflect.set(engine, 'handleDisconnect', (...given: unknown[]) => {
		if (resuming && given[0] === AT_ONCE && engine.fullReconnectOnNext) {
			resuming.abort();
			joinAnew();
			return;
		}
		if (!wantsJoin && given[0] === FAILED && clock.now() - triedMs < REFUSED_MS) parts.refused();
		if (!wantsJoin || given[0] !== FAILED) return Reflect.apply(disconnected, engine, given);
		wantsJoin = false;
		return Reflect.apply(disconnected, engine, [AT_ONCE]);
	});
}

/** The library's reason for a leave that asks us to reconnect (2.18.7, `leaveReconnect`). */
const ASKED_TO_LEAVE = 'leave-reconnect';
/** The library's reason when the socket then closes; the socket carries only messages about the room. */
const SOCKET_CLOSED = 'signal';
/** Time to join another session, and to wait for a pause and the last sentences, ms. */
const STAY_MS = 20_000;

/**
 * When a server asks clients to leave and join anew (`LeaveRequest` with the action `RECONNECT`, sent by a region
 * that is shutting down), the library (2.18.7) drops both connections at once, which causes a second or two of
 * silence. If the connections still work, as the open channel shows, there is time to join another session in
 * parallel: `leaving` is called, and the library must wait until the channel closes, a connection fails or the
 * time is up. A server that shuts down itself closes the channel along with its request.
 */
export function heedLeave(parts: {
	readonly room: Room;
	readonly clock: Pick<Clock, 'after'>;
	readonly log: Logger;
	/** The channel in use now, or null. */
	readonly channel: () => Pick<RTCDataChannel, 'readyState' | keyof EventTarget> | null;
	/** Whether the link is believed to be up. */
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
		// Stop the library's check: it would find no socket and disconnect everything. It resumes after
		// joining.
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
