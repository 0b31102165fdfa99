import type { Host } from '#renderer/host.ts';
import type { AudioEngine } from '#renderer/sound/context.ts';
import { createPcmCapture, type PcmCapture, type PcmCaptureParts } from '#renderer/sound/pcm-capture.ts';
import { createVoicePlayer, type VoicePlayerState } from '#renderer/sound/voice-player.ts';
import { meaningOf } from '#shared/conversation/readiness.ts';
import { ControlDown, type ControlUp, type SocketOpening, unpackMessage } from '#shared/host/streams.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import { matchLanguage } from '#shared/protocol/languages.ts';
import { TAIL } from '#shared/protocol/limits.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { StreamPorts, StreamPortsReceiver } from './stream-ports.ts';
import type { Transport, TransportEvent, TransportStats } from './transport.ts';

/** Sound travels on its own port: this long after the last message, the last piece of sound has surely arrived. */
const LAST_PIECE_MS = 300;

/** An upgrade may take 10 s, and a refused key is tried by two methods; main has its own time limit. */
const OPEN_LIMIT_MS = 25_000;
const CLOSE_LIMIT_MS = 2000;

/** Connects through a socket in the main process, which also holds the key; one stream per `open`. */
export function createWebsocketTransport(parts: {
	readonly host: Pick<Host, 'ask'>;
	readonly receiver: StreamPortsReceiver;
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
	/** The purpose of the stream; read at each `open`. */
	readonly opening: () => SocketOpening;
	/** The most speech that may wait to be heard, ms. */
	readonly maxQueueMs: number;
	/** Default: `createPcmCapture`. */
	readonly createCapture?: ((parts: PcmCaptureParts) => PcmCapture) | undefined;
	/** Default: a random UUID. */
	readonly newId?: () => string;
}): Transport {
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
		// The answer and the ports arrive separately, in either order.
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
			// Main decides from the task what to send while paused.
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

/** A time limit for opening; the caller cancels it when the race is over. */
function startLimit(clock: Clock) {
	let cancel: Cancel = () => {};
	const over = new Promise<Result<void, Problem>>((done) => {
		cancel = clock.after(OPEN_LIMIT_MS, () =>
			done(err({ kind: 'timed-out', what: 'open-socket', afterMs: OPEN_LIMIT_MS })),
		);
	});
	return { over, cancel };
}

/** Resolves when `work` is done or has taken too long. */
function bounded(clock: Clock, work: Promise<unknown>): Promise<void> {
	return new Promise((done) => {
		const cancel = clock.after(CLOSE_LIMIT_MS, done);
		void work.finally(() => {
			cancel();
			done();
		});
	});
}

type StreamStay = ReturnType<typeof createStreamStay>;

/** One connection over a socket: its three ports, its capture and its playback. */
function createStreamStay({
	engine,
	clock,
	microphone,
	maxQueueMs,
	createCapture = createPcmCapture,
	tell,
}: {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly microphone: MediaStreamTrack | null;
	readonly maxQueueMs: number;
	readonly createCapture?: ((parts: PcmCaptureParts) => PcmCapture) | undefined;
	readonly tell: (event: TransportEvent) => void;
}) {
	const scope = createScope(clock);
	const voices = new Map<string, MediaStreamTrack>();
	/** Languages reported as present. */
	const told = new Set<string>();
	/** Languages that may be spoken under the current and the unanswered tasks. Null = no task yet. */
	let targets: readonly string[] | null = null;
	/** The languages that remain once the service has answered every task. */
	let remaining: readonly string[] = [];
	let unanswered = 0;
	let control: MessagePort | null = null;
	let counts = { chunksSent: 0, chunksReceived: 0, roundTripMs: 0 };
	/** Events to be reported only after the last word was heard. */
	let held: { readonly sinceMs: number; readonly events: TransportEvent[] } | null = null;

	const capture = createCapture({ engine, clock, lost });
	const player = createVoicePlayer({ engine, clock, heard, changed: look, lost });
	capture.setTrack(microphone);
	player.setLimit(maxQueueMs);
	scope.add(() => {
		capture.close();
		player.close();
	});

	function lost(): void {
		if (scope.closed) return;
		tell({ type: 'link', link: { state: 'down', problem: { kind: 'connection-lost', reason: 'audio' } } });
	}

	function isWanted(language: string): boolean {
		return targets === null || matchLanguage(language, targets) !== null;
	}

	function heard(language: string, track: MediaStreamTrack): void {
		voices.set(language, track);
		// A new track for the same voice: the context was rebuilt.
		if (told.delete(language)) tell({ type: 'voice-gone', language });
		settle();
	}

	function settle(): void {
		for (const [language, track] of voices) {
			if (isWanted(language) === told.has(language)) continue;
			if (told.delete(language)) tell({ type: 'voice-gone', language });
			else {
				told.add(language);
				tell({ type: 'voice', language, track });
			}
		}
	}

	function taskSent(next: readonly string[]): void {
		// A repeated task may share one answer with the task before it.
		if (unanswered === 0 || next.join() !== remaining.join()) unanswered += 1;
		targets = [...(targets ?? []), ...next];
		remaining = next;
		settle();
	}

	/** A refused task leaves the old task in force, so no language is removed before the answer. */
	function taskAnswered(message: ServerMessage): void {
		if (unanswered === 0 || targets === null) return;
		if (isRefusal(message)) {
			unanswered -= 1;
			// The service does not report which task is in force.
			if (unanswered === 0) remaining = targets;
		} else if (isConfirmed(message, remaining)) {
			unanswered = message.type === 'current-task' ? 0 : unanswered - 1;
			if (unanswered === 0) targets = remaining;
			settle();
		}
	}

	function pass(event: TransportEvent): void {
		// Keep the order of events: after one is delayed, delay all.
		(held || isEnd(event) ? hold : tell)(event);
	}

	/** Reports the end of the stream when it was heard, not when it arrived. */
	function hold(event: TransportEvent): void {
		if (held) return void held.events.push(event);
		held = { sinceMs: clock.now(), events: [event] };
		scope.after(LAST_PIECE_MS, () => look(player.states()));
		scope.after(TAIL.inAllMs, letGo);
	}

	function look(states: readonly VoicePlayerState[]): void {
		if (!held || clock.now() - held.sinceMs < LAST_PIECE_MS) return;
		// On a busy machine, sound may still wait for the player to be created.
		if (!player.ready()) return void scope.after(LAST_PIECE_MS, () => look(player.states()));
		// A voice that has just begun has not reported a state yet.
		if (states.length < voices.size) return;
		if (states.every(({ waitingMs, audible }) => waitingMs === 0 && !audible)) letGo();
	}

	function letGo(): void {
		const events = held?.events ?? [];
		held = null;
		for (const event of events) tell(event);
	}

	function hear(down: ControlDown): void {
		switch (down.type) {
			case 'message': {
				const message = unpackMessage(down.message);
				// Update the state first, because a listener may send the next task at once.
				taskAnswered(message);
				return void pass({ type: 'message', message });
			}
			case 'up':
				return void pass({ type: 'link', link: { state: 'up' } });
			case 'restoring':
				return void pass({ type: 'link', link: { state: 'restoring', cause: down.cause } });
			case 'down':
				return void pass({ type: 'link', link: { state: 'down', problem: down.problem } });
			case 'counts':
				counts = down;
				return;
			case 'speech-lost':
				return void pass({ type: 'speech-lost', ms: down.ms });
		}
	}

	function say(message: ControlUp): void {
		control?.postMessage(message);
	}

	return {
		/** Takes the ports, so that sound can flow. */
		take(ports: StreamPorts): void {
			control = ports.control;
			scope.add(() => ports.control.close());
			control.onmessage = ({ data }) => {
				const parsed = ControlDown.safeParse(data);
				if (parsed.success && !scope.closed) hear(parsed.data);
			};
			if (scope.closed) {
				for (const port of [ports.control, ports.capture, ports.voice]) port.close();
				return;
			}
			capture.sendTo(ports.capture);
			player.playFrom(ports.voice);
		},
		setMicrophone: capture.setTrack,
		send(command: ClientMessage): boolean {
			if (!control) return false;
			if (command.message_type === 'set_task')
				taskSent(command.data.pipeline.translations.map(({ target_language: language }) => language));
			// The service drops its voice, so drop ours too.
			if (command.message_type === 'flush_task' || command.message_type === 'interrupt_task') player.flush();
			say({ type: 'command', command });
			return true;
		},
		finalize: (): void => say({ type: 'finalize' }),
		stats(): TransportStats {
			const queued = player.states().map(({ behindMs, prebufferMs }) => behindMs + prebufferMs);
			return {
				packetsSent: counts.chunksSent,
				packetsReceived: counts.chunksReceived,
				jitterBufferMs: Math.round(Math.max(0, ...queued)),
				roundTripMs: counts.roundTripMs,
				concealedRatio: 0,
			};
		},
		close(): void {
			if (scope.closed) return;
			scope.close();
		},
	};
}

function isEnd(event: TransportEvent): boolean {
	return event.type === 'message' && event.message.type === 'end-of-stream';
}

function isRefusal(message: ServerMessage): boolean {
	return message.type === 'error' && meaningOf(message) === 'refused';
}

function isConfirmed(message: ServerMessage, targets: readonly string[]): boolean {
	if (message.type === 'task-status') return message.command === 'set_task' && message.status === 'running';
	return (
		message.type === 'current-task' &&
		message.status === 'running' &&
		message.targets.join() === targets.join()
	);
}
