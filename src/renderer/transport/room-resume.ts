import type { ReconnectPolicy, Room } from 'livekit-client';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Livekit } from './livekit.ts';

/** An ICE restart takes two round trips: enough on the slowest line. */
const RESUME_LIMIT_MS = 6000;
/** How long a lost connection may still look alive (2.18.7, `minReconnectWait`). */
const OLD_MS = 2000;
/**
 * Before jitter. The library's own delays go up to 7 s; here a server that is back is found within 5 s (faults 48).
 * Four tries fall into the first two seconds: by then it is known whether a server is only restarting
 * (`REFUSED_TRIES`).
 */
const RETRIES_MS: readonly number[] = [0, 300, 900, 400, 2500, ...Array.from({ length: 12 }, () => 3000)];
/** Jitter of each; the last applies to all that follow. */
const JITTERS_MS: readonly number[] = [0, 0, 300, 200, 800];
/** The library's reason for a leave that asks us to reconnect (2.18.7, `leaveReconnect`): retry at once. */
const AT_ONCE = 'leave-reconnect';
/** And a failed try: tried again after its back-off. */
const FAILED = 'reconnect';

/** When the library tries to restore its link; then it gives up, after about 45 s, and the conversation takes over. */
export const retries: ReconnectPolicy = {
	nextRetryDelayInMs({ retryCount }) {
		const delayMs = RETRIES_MS[retryCount];
		if (delayMs === undefined) return null;
		return delayMs + Math.random() * (JITTERS_MS[retryCount] ?? JITTERS_MS.at(-1) ?? 0);
	},
};

/** A try that fails within this time was refused: a silent host would let it wait, ms. */
const REFUSED_MS = 1000;

/** `PCState` of the engine, which the library does not export. */
const CONNECTED = 1;
const DISCONNECTED = 2;
const RECONNECTING = 3;

/**
 * Improves how the library waits for its connections once its socket is back, in three places (2.18.7,
 * `RTCEngine.waitForPCReconnected`):
 * - A restarted server does not know us and refuses a resume; the library lets its back-off pass, or goes on waiting as
 *   long as for a first join. Here it joins anew at once, and a resume has its own limit.
 * - It lets two seconds pass first, because the old connections may still look alive. New ones cannot.
 * - After a failed wait it checks the old connection twenty times a second, for ever.
 *
 * It also reports no outcome of a try: `refused` is called for each that was refused.
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
	/** Controls the resume under way. */
	let resuming: AbortController | null = null;
	/** A resume failed because of that: the library is about to count a failed try, and to wait. */
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
			// Reported before anything else.
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
	/** The link is believed to be up. */
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
