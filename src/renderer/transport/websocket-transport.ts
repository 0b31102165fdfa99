import type { AudioEngine } from '#renderer/audio/context.ts';
import type { Host } from '#renderer/host.ts';
import type { SocketOpening } from '#shared/host/streams.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { StreamPortsReceiver } from './stream-ports.ts';
import type { Transport, TransportEvent } from './transport.ts';
import { createStreamStay, type StreamStay } from './websocket-stream.ts';

/** An upgrade may take 10 s, and a refused key is tried two ways; main gives up by itself. */
const OPEN_LIMIT_MS = 25_000;
const CLOSE_LIMIT_MS = 2000;

export interface WebsocketTransportParts {
	readonly host: Pick<Host, 'ask'>;
	readonly receiver: StreamPortsReceiver;
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
	/** What the stream is for; asked at each `open`. */
	readonly opening: () => SocketOpening;
	/** No more speech than this waits to be heard, ms. */
	readonly maxQueueMs: number;
	/** Default: a random UUID. */
	readonly newId?: () => string;
}

/** Connects by a socket that main holds, with the key; one stream per `open`. */
export function createWebsocketTransport(parts: WebsocketTransportParts): Transport {
	const { host, clock, log } = parts;
	const listeners = createListeners<[event: TransportEvent]>();
	let microphone: MediaStreamTrack | null = null;
	let current: { readonly stay: StreamStay; readonly id: string; cancel(): void } | null = null;
	let isOpen = false;
	let leaving: Promise<void> = Promise.resolve();

	function tell(event: TransportEvent): void {
		listeners.tell(event);
		if (event.type === 'link' && event.link.state === 'down') void end();
	}

	function end(): Promise<void> {
		const ended = current;
		if (!ended) return leaving;
		current = null;
		isOpen = false;
		ended.stay.close();
		ended.cancel();
		leaving = bounded(clock, host.ask('stream.close', { stream: ended.id }));
		return leaving;
	}

	async function open(signal: AbortSignal): Promise<Result<void, Problem>> {
		if (current) return err({ kind: 'bug', where: 'websocket-transport: open while open' });
		if (signal.aborted) return err({ kind: 'cancelled' });
		const id = (parts.newId ?? (() => crypto.randomUUID()))();
		const stay = createStreamStay({ ...parts, microphone, tell: (event) => current === own && tell(event) });
		let cancel = () => {};
		const cancelled = new Promise<Result<void, Problem>>((done) => {
			cancel = () => done(err({ kind: 'cancelled' }));
		});
		const own = { stay, id, cancel };
		current = own;
		const abort = () => {
			if (current === own) void end();
		};
		signal.addEventListener('abort', abort, { once: true });
		let unexpect = () => {};
		const ports = new Promise<void>((done) => {
			unexpect = parts.receiver.expect(id, (came) => {
				stay.take(came);
				done();
			});
		});
		const asked = host.ask('stream.open', { stream: id, ...parts.opening() });
		// The answer and the ports come separately, in either order.
		const both = asked.then(async (answer): Promise<Result<void, Problem>> => {
			if (answer.ok) await ports;
			return answer;
		});
		const limit = startLimit(clock);
		const outcome = await Promise.race([cancelled, both, limit.over]);
		limit.cancel();
		unexpect();
		if (outcome.ok && current === own) {
			isOpen = true;
			log.info('socket open');
			return ok();
		}
		signal.removeEventListener('abort', abort);
		if (current === own) await end();
		else await leaving;
		if (outcome.ok) return err({ kind: 'cancelled' });
		log.warn('socket not open', { problem: outcome.error.kind });
		return outcome;
	}

	return {
		capabilities: { kind: 'websocket' },
		open,
		async setMicrophone(track) {
			// Main decides, by the task, what is sent while paused.
			microphone = track ?? null;
			current?.stay.setMicrophone(microphone);
			return ok();
		},
		send: async (command) => (isOpen ? (current?.stay.send(command) ?? false) : false),
		finalize: () => current?.stay.finalize(),
		close: end,
		listen: listeners.listen,
		stats: async () =>
			current?.stay.stats() ?? {
				packetsSent: 0,
				packetsReceived: 0,
				jitterBufferMs: 0,
				roundTripMs: 0,
				concealedRatio: 0,
			},
	};
}

/** Its owner cancels it when the race is over. */
function startLimit(clock: Clock) {
	let cancel: Cancel = () => {};
	const over = new Promise<Result<void, Problem>>((done) => {
		cancel = clock.after(OPEN_LIMIT_MS, () =>
			done(err({ kind: 'timed-out', what: 'open-socket', afterMs: OPEN_LIMIT_MS })),
		);
	});
	return { over, cancel };
}

/** Resolves when it is done or has taken too long. */
function bounded(clock: Clock, work: Promise<unknown>): Promise<void> {
	return new Promise((done) => {
		const cancel = clock.after(CLOSE_LIMIT_MS, done);
		void work.finally(() => {
			cancel();
			done();
		});
	});
}
