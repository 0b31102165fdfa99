import { hash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import {
	emptyOutbox,
	holdBack,
	type Outbox,
	offer,
	nextDueMs as outboxDueMs,
	take,
} from '#shared/conversation/command-outbox.ts';
import { endTask, getTask, setTask } from '#shared/conversation/machine/link.ts';
import {
	confirmTask,
	hear,
	meaningOf,
	nextDueMs,
	type Readiness,
	type ReadinessStep,
	taskLeft,
	tick,
} from '#shared/conversation/readiness.ts';
import { encodeBase64 } from '#shared/lib/base64.ts';
import { type Cancel, type Clock, until } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { type ClientMessage, encodeClientMessage, type Task } from '#shared/protocol/client-message.ts';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import { AS_HEARD, SOCKET_AUDIO, TAIL, TAIL_HERE } from '#shared/protocol/limits.ts';
import type {
	OutputAudioMessage,
	ServerMessage,
	ServiceErrorMessage,
} from '#shared/protocol/server-message.ts';
import { ALL_LANGUAGES, COMMAND } from '#shared/protocol/vocabulary.ts';
import { bytesToS16, s16ToBytes } from '#shared/sound/pcm.ts';
import { createPacer, type Pacer, type PacerCounts, type PacerOptions } from './pacer.ts';
import type { Socket, Sockets, SocketTarget } from './socket.ts';
import {
	type ConnectionFailure,
	createReconnect,
	ERROR_BEFORE_CLOSE_MS,
	failureOf,
	failureOfEnd,
	restoreConnection,
} from './socket-ends.ts';

/** One inflated message is never larger (faults 76). */
const INFLATED_BYTES = 4 * 1024 * 1024;

/** Decodes the samples of one message; `null` if its bytes cannot be samples. Never throws. */
type ReadSamples = (payload: Uint8Array | null) => Int16Array<ArrayBuffer> | null;

/** Reads the format that the task requested: plain, or each message one zlib stream (protocol 5.1.3). */
export function samplesReader(task: Task | null): ReadSamples {
	const isPacked = task?.output_stream?.target.format === 'zlib_pcm_s16le';
	return (payload) => {
		if (payload === null || payload.length === 0) return payload && new Int16Array(0);
		const bytes = isPacked ? inflate(payload) : payload;
		return bytes && bytesToS16(bytes);
	};
}

function inflate(packed: Uint8Array): Uint8Array | null {
	try {
		return inflateSync(packed, { maxOutputLength: INFLATED_BYTES });
	} catch {
		return null;
	}
}

/** Replaces an unreadable piece with silence of the same length (protocol 5.1.3). */
export function missingPiece(): Int16Array<ArrayBuffer> {
	return new Int16Array((SOCKET_AUDIO.sampleRateHz * SOCKET_AUDIO.outputChunkMs) / 1000);
}

/** A chunk names its sentence but has no sequence number (protocol 5.1.3). */
interface PiecePlace {
	readonly transcriptionId: string;
	readonly partId: string;
	readonly language: string;
}

/** How many earlier pieces of a sentence are compared. */
const LOOKED_BACK = 8;
/** Sounds below -50 dB of full scale cannot be told apart. */
const QUIET = 100;

/** Finds chunks that arrive twice, by comparing their sound (faults 75). */
export function createHeardPieces() {
	const heard = new Map<string, readonly string[]>();
	return {
		/** True if exactly this sound was among the last few pieces of its sentence. Silence may repeat. */
		isRepeated({ transcriptionId, partId, language }: PiecePlace, samples: Int16Array): boolean {
			if (samples.every((sample) => Math.abs(sample) <= QUIET)) return false;
			const part = JSON.stringify([transcriptionId, partId, language]);
			const print = hash('sha1', samples);
			const before = heard.get(part) ?? [];
			if (before.includes(print)) return true;
			heard.delete(part);
			heard.set(part, [...before, print].slice(-LOOKED_BACK));
			const oldest = heard.keys().next().value;
			if (heard.size > REMEMBERED && oldest !== undefined) heard.delete(oldest);
			return false;
		},
		clear: (): void => heard.clear(),
	};
}

/** More sentences than are ever in progress at once. */
const REMEMBERED = 256;

/** Sentences dropped on purpose; chunks of them that still arrive are skipped (protocol 9.2). */
export function createDroppedPhrases() {
	const met = new Set<string>();
	const dropped = new Map<string, readonly string[] | null>();

	function forget(ids: Set<string> | Map<string, unknown>): void {
		const oldest = ids.keys().next().value;
		if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest);
	}

	return {
		/** Call when a text or sound of a sentence arrives. */
		met(id: string): void {
			if (met.has(id)) return;
			met.add(id);
			forget(met);
		},
		/** Drops everything met so far, in these languages; null = in all. */
		drop(languages: readonly string[] | null): void {
			for (const id of met) {
				const before = dropped.get(id);
				const all = languages === null || before === null;
				dropped.set(id, all ? null : [...new Set([...(before ?? []), ...languages])]);
				forget(dropped);
			}
		},
		has(id: string, language: string): boolean {
			const languages = dropped.get(id);
			return languages !== undefined && (languages === null || languages.includes(language));
		},
		clear(): void {
			met.clear();
			dropped.clear();
		},
	};
}

/** A piece of translated speech, 24 kHz mono, in the order it came. */
interface SpeechPiece {
	readonly language: string;
	readonly transcriptionId: string;
	readonly partId: string;
	readonly samples: Int16Array<ArrayBuffer>;
	readonly last: boolean;
	/** Number of the piece, counted from 0 over all pieces of this engine. */
	readonly sequence: number;
}

export type SpeechToSpeechEvent =
	| { readonly type: 'message'; readonly message: Exclude<ServerMessage, OutputAudioMessage> }
	| { readonly type: 'audio'; readonly frame: SpeechPiece }
	/** `restoring`: the engine makes a fresh connection; speech that the service has not sent yet is lost. */
	| { readonly type: 'restoring'; readonly cause: string }
	| { readonly type: 'up' }
	/** Sound that could not be sent in time and never will be, ms. */
	| { readonly type: 'speech-lost'; readonly ms: number }
	/** The conversation ended, but not by our own `close` or `finish`. */
	| { readonly type: 'closed'; readonly problem: Problem };

interface SpeechToSpeechCounts extends PacerCounts {
	/** Pieces of speech that could not be read, came twice, or belonged to a dropped sentence. */
	readonly piecesDropped: number;
	readonly connections: number;
	/** Round trip of the open connection, ms; 0 = none, or not known yet. */
	readonly roundTripMs: number;
}

/** Attempts for a session: if the interpreter did not begin, one new session replaces it (protocol 4.4). */
const SILENT_TRIES = 2;

export type SpeechToSpeech = ReturnType<typeof createSpeechToSpeech>;

/** Sends speech, receives speech and texts, over one WebSocket at a time (protocol 5.1). */
export function createSpeechToSpeech(
	parts: Pick<PacerOptions, 'chunkMs' | 'canWait' | 'asHeard' | 'isHere'> & {
		readonly sockets: Sockets;
		/** Socket address of this product, with its placeholder. */
		readonly address: () => Result<string, Problem>;
		readonly clock: Clock;
		readonly log: Logger;
		/** [0, 1) */
		readonly random: () => number;
		/** True if the conversation comes from another connection: keep speech until the task runs (faults 74). */
		readonly keepSpeech?: boolean;
	},
) {
	const { sockets, clock, log, random } = parts;
	const listeners = createListeners<[event: SpeechToSpeechEvent]>();
	const phrases = createDroppedPhrases();
	const pieces = createHeardPieces();
	let reconnect = createReconnect(random);
	let pacer: Pacer = createPacer(parts);
	let readSamples: ReadSamples = samplesReader(null);
	let control = new AbortController();
	let connection: Connection | null = null;
	/** Number of the current connection; messages from an older one are ignored. */
	let generation = 0;
	let ownTask: Task | null = null;
	let isPaused = false;
	/** True once the owner has ended the task: a lost connection is then not restored. */
	let isEndAsked = false;
	let ending: { progressMs: number; said: boolean; over: boolean } | null = null;
	let sequence = 0;
	let piecesDropped = 0;
	let connections = 0;
	let unlisten: Cancel = () => {};
	let timer: Cancel = () => {};

	function tell(event: SpeechToSpeechEvent): void {
		listeners.tell(event);
	}

	/** The chunk to send now, if there is one. */
	const next = () => pacer.take(clock.now(), connection?.waitingMs);

	/** Sends every chunk that is due, and schedules the next. */
	function drain(): void {
		timer();
		for (let chunk = next(); chunk; chunk = next()) connection?.audio(chunk);
		const dueMs = pacer.dueMs(connection?.waitingMs);
		if (dueMs !== null) timer = clock.after(Math.max(1, dueMs - clock.now()), drain);
	}

	function flow(): void {
		if (isPaused || pacer.phase === 'flowing') return;
		pacer.enter('flowing', clock.now());
		drain();
	}

	function receive(message: ServerMessage): void {
		if (ending && (message.type === 'transcript' || message.type === 'output-audio'))
			ending.progressMs = clock.now();
		switch (message.type) {
			case 'output-audio':
				hearSpeech(message);
				return;
			case 'transcript':
				phrases.met(message.transcriptionId);
				break;
			case 'task-status':
			case 'current-task':
				// While connecting, `connectOnce` starts the flow once the connection is up.
				if (message.status === 'running' && connection) flow();
				break;
			case 'warning':
				pacer.warned(message.code, clock.now());
				drain();
				break;
			case 'sound-heard':
				pacer.heard(message.ms);
				drain();
				return;
			case 'end-of-stream':
				if (ending) ending.said = true;
				break;
			default:
				break;
		}
		tell({ type: 'message', message });
	}

	function hearSpeech({ payload, ...piece }: OutputAudioMessage): void {
		phrases.met(piece.transcriptionId);
		const isDropped = phrases.has(piece.transcriptionId, piece.language);
		const read = isDropped ? null : readSamples(payload);
		const isWanted = read !== null && !pieces.isRepeated(piece, read);
		if (!isWanted) piecesDropped += 1;
		// An unreadable piece leaves a gap, so that the following speech does not run into the word before.
		const isMissing = !isDropped && read === null && !piece.last;
		// The end of a sentence counts even when its last piece is discarded.
		if (!isWanted && !isMissing && !piece.last) return;
		const samples = isWanted ? read : isMissing ? missingPiece() : new Int16Array(0);
		tell({ type: 'audio', frame: { ...piece, samples, sequence } });
		sequence += 1;
	}

	async function connectOnce(): Promise<Result<void, ConnectionFailure>> {
		const address = parts.address();
		if (!address.ok) return err({ problem: address.error, rule: 'stop' });
		generation += 1;
		const own = generation;
		const current = () => own === generation;
		const heard: ConnectionHeard = {
			message: (message) => current() && receive(message),
			dropped: (ms) => current() && tell({ type: 'speech-lost', ms }),
			drained: () => parts.isHere && current() && drain(),
			ended: (failure) => {
				if (!current()) return;
				connection = null;
				if (ending) ending.over = true;
				else if (isEndAsked) void over(failure.problem);
				else void restore(failure);
			},
		};
		phrases.clear();
		pieces.clear();
		const made = await connect(
			{ sockets, clock },
			{ address: address.value, ...(parts.asHeard && { query: AS_HEARD.query }) },
			ownTask,
			heard,
			control.signal,
		);
		if (!made.ok) return made;
		connection = made.value;
		connections += 1;
		reconnect.live(clock.now());
		if (ownTask) flow();
		return ok();
	}

	/** Reconnects after 1, 2, 4 and 8 s, then gives up. */
	async function restore(first: ConnectionFailure): Promise<void> {
		const { signal } = control;
		if (pacer.phase === 'flowing') pacer.enter('holding', clock.now());
		tell({ type: 'restoring', cause: first.problem.kind });
		const restored = await restoreConnection(first, {
			reconnect,
			clock,
			signal,
			connectOnce,
			tried: ({ problem, rule }, next) =>
				log.info('speech socket lost', { kind: problem.kind, rule, next: next.do }),
		});
		if (signal.aborted) return;
		if (restored.ok) tell({ type: 'up' });
		else {
			await end();
			tell({ type: 'closed', problem: restored.error });
		}
	}

	/** Tells the owner first that no more will come, so that it plays the rest. */
	async function over(problem: Problem): Promise<void> {
		tell({ type: 'message', message: { type: 'end-of-stream' } });
		await end();
		tell({ type: 'closed', problem });
	}

	async function end(): Promise<void> {
		generation += 1;
		unlisten();
		control.abort();
		timer();
		pacer.enter('closed', clock.now());
		const last = connection;
		connection = null;
		await last?.close();
	}

	function note(message: ClientMessage): void {
		if (message.message_type === 'pause_task') {
			isPaused = true;
			pacer.enter('paused', clock.now());
			drain();
		}
		if (message.message_type === 'end_task') isEndAsked = true;
		if (message.message_type === 'set_task') {
			isPaused = false;
			isEndAsked = false;
			readSamples = samplesReader(message.data);
			if (ownTask) ownTask = message.data;
		}
		if (message.message_type === COMMAND.flushTask || message.message_type === COMMAND.interruptTask) {
			const { languages } = message.data;
			phrases.drop(languages.includes(ALL_LANGUAGES) ? null : languages);
		}
	}

	return {
		/**
		 * Connects. A task, if given, is set now and after each reconnection, and `open` resolves when it runs.
		 * With `null` the owner sends `set_task` itself, each time the connection comes up. `signal` ends the
		 * attempt and the open connection alike. A failure leaves nothing behind.
		 */
		async open(task: Task | null, signal: AbortSignal): Promise<Result<void, Problem>> {
			if (signal.aborted) return err({ kind: 'cancelled' });
			control = new AbortController();
			const own = control;
			const abort = () => void end();
			signal.addEventListener('abort', abort, { once: true });
			unlisten = () => signal.removeEventListener('abort', abort);
			reconnect = createReconnect(random);
			ownTask = task;
			isPaused = false;
			isEndAsked = false;
			ending = null;
			pacer = createPacer(parts);
			if (parts.keepSpeech) pacer.enter('holding', clock.now());
			readSamples = samplesReader(task);
			for (let attempt = 1; ; attempt += 1) {
				const made = await connectOnce();
				if (made.ok) return ok();
				const { problem } = made.error;
				if (problem.kind === 'interpreter-silent' && attempt < SILENT_TRIES && !own.signal.aborted) continue;
				await end();
				return err(signal.aborted ? { kind: 'cancelled' } : problem);
			}
		},
		/** Sends a command; false if not connected. An engine that was given a task keeps the command limits. */
		send(message: ClientMessage): boolean {
			if (!connection) return false;
			note(message);
			if (ownTask) connection.post(message);
			else return connection.send(message);
			return true;
		},
		/** Captured sound, 24 kHz mono, any length; `Pacer` decides whether it is kept. */
		audio(pcm: Int16Array): void {
			const before = pacer.counts.droppedMs;
			pacer.push(pcm, clock.now());
			if (pacer.counts.droppedMs > before) tell({ type: 'speech-lost', ms: pacer.counts.droppedMs - before });
			drain();
		},
		/** True while sound is sent without delay: a file waits for this. */
		get flowing(): boolean {
			return connection !== null && pacer.phase === 'flowing' && pacer.waitingMs < 2 * pacer.chunkMs;
		},
		/**
		 * Sends the remaining sound, ends the task and waits for the tail: until the end of the stream, 6 s
		 * without progress or 30 s in all (protocol 9.2); then closes. True if the service announced the end.
		 */
		async finish(): Promise<boolean> {
			pacer.finish();
			drain();
			// A lost connection comes back, or its engine closes: the engine's own policy limits the wait.
			const { signal } = control;
			const { idleMs, inAllMs } = parts.asHeard ? TAIL_HERE : TAIL;
			await until(
				clock,
				() => connection !== null && (pacer.waitingMs === 0 || pacer.phase !== 'flowing'),
				inAllMs,
				signal,
			);
			if (!connection) {
				await end();
				return false;
			}
			const tail = { progressMs: clock.now(), said: false, over: false };
			ending = tail;
			pacer.enter('closed', clock.now());
			connection.post(connection.endTask());
			const isQuiet = () => clock.now() - tail.progressMs >= idleMs;
			await until(clock, () => tail.said || tail.over || isQuiet(), inAllMs, signal);
			await end();
			return tail.said;
		},
		/** Closes at once. Calling it again is harmless. */
		close: end,
		listen: listeners.listen,
		counts: (): SpeechToSpeechCounts => ({
			...pacer.counts,
			piecesDropped,
			connections,
			roundTripMs: connection?.roundTripMs ?? 0,
		}),
	};
}

/** One speech-to-speech socket from its opening to its end. */
interface Connection {
	/** Sends within the service's limits, so perhaps a moment later. */
	post(command: ClientMessage): void;
	/** Sends at once, for an owner that keeps the limits itself. */
	send(command: ClientMessage): boolean;
	/** One chunk of 24 kHz mono. */
	audio(samples: Int16Array): void;
	endTask(): ClientMessage;
	/** Round trip of the socket, ms; 0 until known. */
	readonly roundTripMs: number;
	/** Sound that has not been sent yet, ms. */
	readonly waitingMs: number;
	close(): Promise<void>;
}

interface ConnectionHeard {
	message(message: ServerMessage): void;
	/** Called when the socket could not send this much sound. */
	dropped(audioMs: number): void;
	/** Called when the socket's backlog has shrunk. */
	drained(): void;
	/** Called when the other side has ended the connection, but only after `connect` has resolved. */
	ended(failure: ConnectionFailure): void;
}

/** Opens a socket, sets any task and waits until it runs (protocol 5.1.1, 4.4). Cleans up on failure. */
async function connect(
	{
		sockets,
		clock,
	}: {
		readonly sockets: Sockets;
		readonly clock: Clock;
	},
	target: SocketTarget,
	task: Task | null,
	heard: ConnectionHeard,
	signal: AbortSignal,
): Promise<Result<Connection, ConnectionFailure>> {
	let socket: Socket | null = null;
	let lastError: { readonly error: ServiceErrorMessage; readonly atMs: number } | null = null;
	let early: ConnectionFailure | null = null;
	let isReady = false;
	let failEarly: (failure: ConnectionFailure) => void = () => {};

	const send = (message: ClientMessage) => socket?.send(encodeClientMessage(message)) ?? false;
	const commands = createCommands({ clock, send });

	function ended(failure: ConnectionFailure): void {
		commands.close();
		if (isReady) heard.ended(failure);
		else {
			early = failure;
			failEarly(failure);
		}
	}

	const opened = await sockets.open(
		target,
		{
			frame(text) {
				const message = decodeServerMessage(text);
				if (message.type === 'error') lastError = { error: message, atMs: clock.now() };
				commands.hear(message);
				heard.message(message);
			},
			dropped: heard.dropped,
			drained: heard.drained,
			ended(end) {
				const isFresh = lastError !== null && clock.now() - lastError.atMs <= ERROR_BEFORE_CLOSE_MS;
				ended(failureOfEnd(end, isFresh && lastError ? lastError.error : null));
			},
		},
		signal,
	);
	if (!opened.ok) {
		commands.close();
		return err(failureOf(opened.error));
	}
	socket = opened.value;
	const held = socket;

	async function close(): Promise<void> {
		commands.close();
		await held.close();
	}

	const failure = early ?? (task && (await ready(task)));
	if (failure || signal.aborted) {
		await close();
		return err(failure ?? failureOf({ kind: 'cancelled' }));
	}
	isReady = true;

	async function ready(wanted: Task): Promise<ConnectionFailure | null> {
		const cancelled = Promise.withResolvers<ConnectionFailure>();
		failEarly = cancelled.resolve;
		const cancel = () => failEarly(failureOf({ kind: 'cancelled' }));
		signal.addEventListener('abort', cancel, { once: true });
		const confirmed = commands.confirm(wanted).then((result) => (result.ok ? null : failureOf(result.error)));
		try {
			return await Promise.race([cancelled.promise, confirmed]);
		} finally {
			signal.removeEventListener('abort', cancel);
		}
	}

	return ok({
		post: commands.post,
		send,
		audio(samples) {
			const data = { data: encodeBase64(s16ToBytes(samples)) };
			const text = JSON.stringify({ message_type: COMMAND.inputAudioData, data });
			held.sendAudio(text, (samples.length / SOCKET_AUDIO.sampleRateHz) * 1000);
		},
		endTask: commands.endTask,
		get roundTripMs() {
			return held.roundTripMs;
		},
		get waitingMs() {
			return held.waitingMs;
		},
		close,
	});
}

/** Sends one connection's commands within the service's limits; waits for its task to run (protocol 4.4). */
export function createCommands(parts: {
	readonly clock: Clock;
	readonly send: (message: ClientMessage) => void;
}) {
	const { clock, send } = parts;
	let outbox: Outbox = emptyOutbox;
	let acknowledges = false;
	let timer: Cancel = () => {};
	let closed = false;
	let pending: {
		readiness: Readiness;
		readonly task: Task;
		readonly done: (result: Result<void, Problem>) => void;
	} | null = null;

	function flush(): void {
		const now = clock.now();
		const taken = take(outbox, now);
		outbox = taken.outbox;
		for (const command of taken.send) {
			if (command.message_type === 'set_task' && pending)
				pending.readiness = taskLeft(pending.readiness, now);
			send(command);
		}
		arm();
	}

	function arm(): void {
		timer();
		if (closed) return;
		const due = [outboxDueMs(outbox), pending ? nextDueMs(pending.readiness) : null].filter(
			(at) => at !== null,
		);
		if (due.length > 0) timer = clock.after(Math.max(1, Math.min(...due) - clock.now()), wake);
	}

	function wake(): void {
		if (pending && nextDueMs(pending.readiness) <= clock.now()) follow(tick(pending.readiness, clock.now()));
		flush();
	}

	function follow({ readiness, verdict, commands }: ReadinessStep): void {
		if (!pending) return;
		pending.readiness = readiness;
		for (const command of commands)
			outbox = offer(outbox, command === 'set_task' ? setTask(pending.task) : getTask);
		if (verdict.is === 'waiting') return;
		const { done } = pending;
		pending = null;
		if (verdict.is === 'ready') done(ok());
		else if (verdict.is === 'refused') done(err(verdict.problem));
		else done(err({ kind: 'interpreter-silent', afterMs: Math.round(verdict.afterMs) }));
	}

	return {
		/** Sends as soon as the limits allow. */
		post(command: ClientMessage): void {
			outbox = offer(outbox, command);
			flush();
		},
		/** Sets the task; resolves when it runs, is refused, or was not confirmed in 20 s. */
		confirm(task: Task): Promise<Result<void, Problem>> {
			return new Promise((done) => {
				const targets = task.pipeline.translations.map(({ target_language: target }) => target);
				const { readiness } = confirmTask(clock.now(), targets);
				pending = { readiness, task, done };
				outbox = offer(outbox, setTask(task));
				flush();
			});
		},
		hear(message: ServerMessage): void {
			const now = clock.now();
			if (message.type === 'task-status') acknowledges = true;
			if (message.type === 'error' && meaningOf(message) === 'limited') outbox = holdBack(outbox, now);
			if (pending) follow(hear(pending.readiness, message, now));
			flush();
		},
		/** `end_task` in the form that this version of the service expects. */
		endTask: (): ClientMessage => endTask({ acknowledges }),
		close(): void {
			closed = true;
			timer();
			pending?.done(err({ kind: 'cancelled' }));
			pending = null;
		},
	};
}
