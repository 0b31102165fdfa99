import { s16ToBytes } from '#shared/audio/s16le.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { TAIL } from '#shared/protocol/limits.ts';
import type { ServiceErrorMessage } from '#shared/protocol/server-message.ts';
import { SOCKET_AUDIO } from '#shared/protocol/socket-audio.ts';
import { CLOSING_SILENCE_MS, decodeSttMessage, type SttText } from '#shared/protocol/speech-to-text.ts';
import { ERROR_BEFORE_CLOSE_MS } from './close-codes.ts';
import { createPacer, type Pacer, type PacerOptions } from './pacer.ts';
import {
	type ConnectionFailure,
	createReconnect,
	failureOf,
	failureOfEnd,
	restoreConnection,
} from './reconnect.ts';
import type { Socket, Sockets } from './socket.ts';
import { until } from './until.ts';

export interface TranscribeSettings {
	/** `auto` lets the service detect it. */
	readonly language: string;
	/** Also translated into these. */
	readonly targets: readonly string[];
}

export type SpeechToTextEvent =
	| { readonly type: 'text'; readonly text: SttText }
	| { readonly type: 'warning'; readonly code: string; readonly text: string }
	| { readonly type: 'restoring'; readonly cause: string }
	| { readonly type: 'up' }
	| { readonly type: 'speech-lost'; readonly ms: number }
	| { readonly type: 'closed'; readonly problem: Problem };

/** Speech in, texts out (protocol 5.2). Pacing, gaps and reconnecting work as in speech to speech. */
export interface SpeechToText {
	open(settings: TranscribeSettings, signal: AbortSignal): Promise<Result<void, Problem>>;
	/** 24 kHz mono, any length. */
	audio(pcm: Int16Array): void;
	readonly flowing: boolean;
	/** Of the socket that is open; 0 = none, or not known yet. */
	readonly roundTripMs: number;
	/** Sends silence until the last text is final, bounded like a tail; then closes. */
	finish(): Promise<void>;
	close(): Promise<void>;
	listen(heard: (event: SpeechToTextEvent) => void): Cancel;
}

export interface SpeechToTextParts extends Pick<PacerOptions, 'chunkMs' | 'canWait'> {
	readonly sockets: Sockets;
	readonly address: () => Result<string, Problem>;
	readonly clock: Clock;
	readonly log: Logger;
	/** [0, 1) */
	readonly random: () => number;
}

/** Translations follow their final within this, ms. */
const SETTLED_MS = 1500;

export function createSpeechToText(parts: SpeechToTextParts): SpeechToText {
	const { clock, log } = parts;
	const listeners = createListeners<[event: SpeechToTextEvent]>();
	/** Source texts that may still change. */
	const open = new Set<string>();
	let pacer: Pacer = createPacer(parts);
	let reconnect = createReconnect(parts.random);
	let control = new AbortController();
	let socket: Socket | null = null;
	/** Of the last socket: whoever ends it once more waits for its end, too. */
	let closing: Promise<void> = Promise.resolve();
	let settings: TranscribeSettings = { language: 'auto', targets: [] };
	let generation = 0;
	let progressMs = 0;
	let lastError: { readonly error: ServiceErrorMessage; readonly atMs: number } | null = null;
	let timer: Cancel = () => {};
	let unlisten: Cancel = () => {};

	function tell(event: SpeechToTextEvent): void {
		listeners.tell(event);
	}

	function drain(): void {
		timer();
		for (let chunk = pacer.take(clock.now()); chunk; chunk = pacer.take(clock.now()))
			socket?.sendAudio(s16ToBytes(chunk), (chunk.length / SOCKET_AUDIO.sampleRateHz) * 1000);
		const dueMs = pacer.dueMs();
		if (dueMs !== null) timer = clock.after(Math.max(1, dueMs - clock.now()), drain);
	}

	function receive(frame: string): void {
		const message = decodeSttMessage(frame);
		if (message.type === 'text') {
			progressMs = clock.now();
			if (message.kind === 'source' && !message.final) open.add(message.id);
			else open.delete(message.id);
			tell({ type: 'text', text: message });
		} else if (message.type === 'warning') {
			pacer.warned(message.code, clock.now());
			tell(message);
		} else if (message.type === 'error') lastError = { error: message, atMs: clock.now() };
	}

	function query(): Record<string, string> {
		const { language, targets } = settings;
		return {
			format: 'pcm_s16le',
			sample_rate: String(SOCKET_AUDIO.sampleRateHz),
			language,
			...(targets.length > 0 ? { translate_languages: targets.join(',') } : {}),
		};
	}

	async function connectOnce(): Promise<Result<void, ConnectionFailure>> {
		const address = parts.address();
		if (!address.ok) return err(failureOf(address.error));
		generation += 1;
		const own = generation;
		const heard = {
			frame: (text: string) => own === generation && receive(text),
			dropped: (ms: number) => own === generation && tell({ type: 'speech-lost', ms }),
			ended(end: Parameters<typeof failureOfEnd>[0]) {
				if (own !== generation) return;
				socket = null;
				const isFresh = lastError !== null && clock.now() - lastError.atMs <= ERROR_BEFORE_CLOSE_MS;
				void restore(failureOfEnd(end, isFresh && lastError ? lastError.error : null));
			},
		};
		const opened = await parts.sockets.open(
			{ address: address.value, query: query() },
			heard,
			control.signal,
		);
		if (!opened.ok) return err(failureOf(opened.error));
		if (control.signal.aborted) {
			await opened.value.close();
			return err(failureOf({ kind: 'cancelled' }));
		}
		socket = opened.value;
		reconnect.live(clock.now());
		pacer.enter('flowing', clock.now());
		drain();
		return ok();
	}

	async function restore(first: ConnectionFailure): Promise<void> {
		const { signal } = control;
		pacer.enter('holding', clock.now());
		open.clear();
		tell({ type: 'restoring', cause: first.problem.kind });
		const tried = ({ problem, rule }: ConnectionFailure) =>
			log.info('text socket lost', { kind: problem.kind, rule });
		const restored = await restoreConnection(first, { reconnect, clock, signal, connectOnce, tried });
		if (signal.aborted) return;
		if (restored.ok) tell({ type: 'up' });
		else {
			await end();
			tell({ type: 'closed', problem: restored.error });
		}
	}

	async function end(): Promise<void> {
		generation += 1;
		unlisten();
		control.abort();
		timer();
		pacer.enter('closed', clock.now());
		if (socket) closing = socket.close();
		socket = null;
		await closing;
	}

	return {
		async open(wanted, signal) {
			if (signal.aborted) return err({ kind: 'cancelled' });
			control = new AbortController();
			const abort = () => void end();
			signal.addEventListener('abort', abort, { once: true });
			unlisten = () => signal.removeEventListener('abort', abort);
			settings = wanted;
			open.clear();
			lastError = null;
			pacer = createPacer(parts);
			reconnect = createReconnect(parts.random);
			const made = await connectOnce();
			if (made.ok) return ok();
			await end();
			return err(signal.aborted ? { kind: 'cancelled' } : made.error.problem);
		},
		audio(pcm) {
			const before = pacer.counts.droppedMs;
			pacer.push(pcm, clock.now());
			if (pacer.counts.droppedMs > before) tell({ type: 'speech-lost', ms: pacer.counts.droppedMs - before });
			drain();
		},
		get flowing() {
			return socket !== null && pacer.phase === 'flowing' && pacer.waitingMs < 2 * pacer.chunkMs;
		},
		get roundTripMs() {
			return socket?.roundTripMs ?? 0;
		},
		async finish() {
			// Silence flows by itself when nothing is captured: it is what makes the last text final.
			const { signal } = control;
			const beganMs = clock.now();
			progressMs = beganMs;
			let leftMs = beganMs;
			const isSilent = () => {
				if (pacer.waitingMs > 0) leftMs = clock.now();
				return clock.now() - leftMs >= CLOSING_SILENCE_MS;
			};
			const isSettled = () => open.size === 0 && clock.now() - progressMs >= SETTLED_MS;
			const isStuck = () => clock.now() - progressMs >= TAIL.idleMs;
			const isOver = () => isSilent() && (isSettled() || isStuck());
			await until(clock, isOver, TAIL.inAllMs, signal);
			await end();
		},
		close: end,
		listen: listeners.listen,
	};
}
