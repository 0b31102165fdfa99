import type { Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { preloadLivekit } from './livekit.ts';
import type { RoomGrant, RoomStay } from './livekit-room.ts';
import { noStats, type Transport, type TransportEvent } from './transport.ts';

/** The library alone would try for 47 s and more (ecosystem 3.5b). */
const OPEN_LIMIT_MS = 15_000;

/** Connects through a LiveKit room; one room per `open`. */
export function createLivekitTransport(parts: {
	readonly grant: RoomGrant;
	readonly clock: Clock;
	readonly log: Logger;
}): Transport {
	const listeners = createListeners<[event: TransportEvent]>();
	let microphone: MediaStreamTrack | null | undefined;
	let stay: RoomStay | null = null;
	/** Controls the open or opening link; `null` without a link. */
	let current: AbortController | null = null;
	let leaving: Promise<void> = Promise.resolve();

	function tell(event: TransportEvent): void {
		listeners.tell(event);
		// The library has given up; clean up, so that `open` can be called again.
		if (event.type === 'link' && event.link.state === 'down') void end();
	}

	function end(): Promise<void> {
		current?.abort();
		current = null;
		const ended = stay;
		stay = null;
		if (ended) leaving = Promise.all([leaving, ended.close()]).then(() => {});
		return leaving;
	}

	async function open(signal: AbortSignal): Promise<Result<void, Problem>> {
		if (current) return err({ kind: 'bug', where: 'livekit-transport: open while open' });
		if (signal.aborted) return err({ kind: 'cancelled' });
		const own = new AbortController();
		current = own;
		signal.addEventListener('abort', end, { once: true });
		own.signal.addEventListener('abort', () => signal.removeEventListener('abort', end), { once: true });

		const outcome = await withinLimit(join(own.signal), own.signal, parts.clock);
		if (outcome.ok) {
			parts.log.info('room joined');
			return outcome;
		}
		parts.log.warn('room not joined', { problem: outcome.error.kind });
		if (current === own) await end();
		else await leaving;
		return outcome;
	}

	async function join(signal: AbortSignal): Promise<Result<void, Problem>> {
		let rooms: Awaited<ReturnType<typeof preloadLivekit>>;
		try {
			rooms = await preloadLivekit();
		} catch (failure) {
			return err({
				kind: 'room-unreachable',
				reason: failure instanceof Error ? failure.name : typeof failure,
			});
		}
		const { livekit } = rooms;
		try {
			await leaving;
			if (signal.aborted) return err({ kind: 'cancelled' });
			stay = rooms.createRoomStay({ ...parts, livekit, microphone, joinLimitMs: OPEN_LIMIT_MS, tell });
			await stay.join();
			return signal.aborted ? err({ kind: 'cancelled' }) : ok();
		} catch (failure) {
			return err(rooms.joinProblem(failure, livekit));
		}
	}

	return {
		capabilities: { kind: 'webrtc' },
		open,
		async setMicrophone(track) {
			microphone = track;
			try {
				await stay?.setMicrophone(track);
				return ok();
			} catch (failure) {
				const reason = failure instanceof Error ? failure.name : typeof failure;
				return err({ kind: 'microphone-failed', device: track?.label ?? '', reason });
			}
		},
		send: async (command) => (stay ? stay.send(command) : false),
		close: end,
		listen: listeners.listen,
		stats: async () => (stay ? stay.stats() : noStats),
	};
}

/** Resolves to the outcome, or to the reason for not waiting. */
function withinLimit(
	outcome: Promise<Result<void, Problem>>,
	signal: AbortSignal,
	clock: Clock,
): Promise<Result<void, Problem>> {
	return new Promise((resolve) => {
		const cancelled = () => settle(err({ kind: 'cancelled' }));
		const stopWaiting = clock.after(OPEN_LIMIT_MS, () =>
			settle(err({ kind: 'room-unreachable', reason: 'timeout' })),
		);
		function settle(result: Result<void, Problem>): void {
			stopWaiting();
			signal.removeEventListener('abort', cancelled);
			resolve(result);
		}
		signal.addEventListener('abort', cancelled, { once: true });
		void outcome.then(settle);
	});
}
