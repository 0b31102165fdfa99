import type { TranscribingOpening } from '#shared/host/streams.ts';
import { type Cancel, type Clock, until } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage, Task } from '#shared/protocol/client-message.ts';
import { baseOf } from '#shared/protocol/languages.ts';
import { AS_HEARD, SOCKET_AUDIO, TAIL, TAIL_HERE } from '#shared/protocol/limits.ts';
import type { ServiceErrorMessage, TaskState } from '#shared/protocol/server-message.ts';
import {
	CLOSING_SILENCE_MS,
	decodeSttMessage,
	FINALIZE,
	type SttText,
} from '#shared/protocol/speech-to-text.ts';
import { ERROR_CODE } from '#shared/protocol/vocabulary.ts';
import { s16ToBytes } from '#shared/sound/pcm.ts';
import { createPacer, isQuiet, type Pacer, type PacerOptions } from './pacer.ts';
import type { Socket, Sockets } from './socket.ts';
import {
	type ConnectionFailure,
	createReconnect,
	ERROR_BEFORE_CLOSE_MS,
	failureOf,
	failureOfEnd,
	restoreConnection,
	type SocketEnd,
} from './socket-ends.ts';
import type { SpeechStream, SpeechStreamEvent } from './streams.ts';

export interface TranscribeSettings {
	/** `auto` lets the service detect it. */
	readonly language: string;
	/** Languages into which it is also translated. */
	readonly targets: readonly string[];
}

export type SpeechToTextEvent =
	| { readonly type: 'text'; readonly text: SttText }
	| { readonly type: 'warning'; readonly code: string; readonly text: string }
	| { readonly type: 'restoring'; readonly cause: string }
	| { readonly type: 'up' }
	| { readonly type: 'speech-lost'; readonly ms: number }
	| { readonly type: 'closed'; readonly problem: Problem };

/** Translations follow their final text within this time, ms. */
const SETTLED_MS = 1500;
/** A service that has not answered `finalize` within this does not know it, ms. */
const ANSWER_MS = 5000;
/** Number of finished texts whose ids are remembered: they may come again (protocol 5.2). */
const FINISHED_KEPT = 500;
/** Codes of errors about a message, not about the account or the service. */
const REFUSALS: ReadonlySet<string> = new Set([
	ERROR_CODE.validation,
	ERROR_CODE.badRequest,
	ERROR_CODE.notFound,
	ERROR_CODE.unknown,
]);
/** Treated like a failure of the network. */
const LOST = { by: 'peer', code: 1006, reason: '' } as const satisfies SocketEnd;

export type SpeechToText = ReturnType<typeof createSpeechToText>;

/** Sends speech, receives texts (protocol 5.2). Pacing, gaps and reconnecting work as in speech to speech. */
export function createSpeechToText(
	parts: Pick<PacerOptions, 'chunkMs' | 'canWait' | 'asHeard' | 'isHere'> & {
		readonly sockets: Sockets;
		readonly address: () => Result<string, Problem>;
		readonly clock: Clock;
		readonly log: Logger;
		/** [0, 1) */
		readonly random: () => number;
		/** Addresses whose service lacks `finalize`; kept by the owner, so that each is asked only once. */
		readonly withoutFinalize?: Set<string>;
	},
) {
	const { clock, log } = parts;
	const listeners = createListeners<[event: SpeechToTextEvent]>();
	/** Source texts that may still change. */
	const open = new Set<string>();
	/** Source texts that may not change any more, although they may come again. */
	const finished = new Set<string>();
	/** Translations of final texts that have not arrived yet, as `id language`. */
	const untranslated = new Set<string>();
	const withoutFinalize = parts.withoutFinalize ?? new Set<string>();
	let dialled = '';
	/** Sound to send before `finalize`, ms; null = `finalize` is not requested. */
	let beforeMs: number | null = null;
	/** How often `finalize` was sent without an answer. */
	let unanswered = 0;
	/** True once the service has answered `finalize`. */
	let knowsFinalize = false;
	let unknownMs = -Infinity;
	let finishing = false;
	/** True once all speech before `finish` is final. */
	let isFinalized = false;
	let cancelAnswer: Cancel = () => {};
	let pacer: Pacer = createPacer(parts);
	let reconnect = createReconnect(parts.random);
	let control = new AbortController();
	let socket: Socket | null = null;
	/** Resolves when the last socket has closed; a second call waits for it, too. */
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

	/** The chunk to send now, if there is one. */
	const next = () => pacer.take(clock.now(), socket?.waitingMs);

	function drain(): void {
		timer();
		for (let chunk = next(); chunk; chunk = next()) {
			const lengthMs = (chunk.length / SOCKET_AUDIO.sampleRateHz) * 1000;
			socket?.sendAudio(s16ToBytes(chunk), lengthMs);
			if (beforeMs !== null) beforeMs -= lengthMs;
		}
		if (socket && beforeMs !== null && beforeMs <= 0) sendFinalize(socket);
		const dueMs = pacer.dueMs(socket?.waitingMs);
		if (dueMs !== null) timer = clock.after(Math.max(1, dueMs - clock.now()), drain);
	}

	function receive(frame: string): void {
		const message = decodeSttMessage(frame);
		if (message.type === 'text') {
			const { finalized, ...text } = message;
			if (isNews(text)) {
				progressMs = clock.now();
				tell({ type: 'text', text });
			}
			if (finalized && text.kind === 'source') answered();
		} else if (message.type === 'sound-heard') {
			pacer.heard(message.ms);
			drain();
		} else if (message.type === 'warning') {
			pacer.warned(message.code, clock.now());
			tell(message);
		} else if (message.type === 'error') {
			const isAboutMessage = REFUSALS.has(message.code) || /finalize|message_type/i.test(message.text);
			if (unanswered > 0 && isAboutMessage) unknown();
			else lastError = { error: message, atMs: clock.now() };
		}
	}

	/** False for a repeated text, and for an empty one, unless it ends one that was not empty. */
	function isNews({ kind, id, language, text, final }: SttText): boolean {
		if (kind === 'translation') {
			untranslated.delete(`${id} ${baseOf(language)}`);
			return text !== '';
		}
		if (finished.has(id) || (text === '' && !(final && open.has(id)))) return false;
		if (!final) {
			open.add(id);
			return true;
		}
		open.delete(id);
		finished.add(id);
		const [oldest] = finished;
		if (finished.size > FINISHED_KEPT && oldest !== undefined) finished.delete(oldest);
		if (text !== '')
			for (const target of settings.targets)
				if (target !== baseOf(language)) untranslated.add(`${id} ${target}`);
		return true;
	}

	function askForFinals(): void {
		if (withoutFinalize.has(dialled)) return;
		beforeMs = pacer.waitingMs;
		pacer.flush();
		drain();
	}

	function sendFinalize(to: Socket): void {
		beforeMs = null;
		if (!to.send(JSON.stringify(FINALIZE))) return;
		unanswered += 1;
		cancelAnswer();
		// This computer knows the command, and answers as soon as it can.
		if (!parts.asHeard) cancelAnswer = clock.after(ANSWER_MS, unknown);
	}

	/** All text is final. A late answer counts, too: it proves that the service knows the command. */
	function answered(): void {
		knowsFinalize = true;
		withoutFinalize.delete(dialled);
		unanswered = Math.max(0, unanswered - 1);
		if (unanswered > 0) return;
		cancelAnswer();
		isFinalized = finishing && beforeMs === null;
	}

	/** Called when the service refuses `finalize` or does not answer in time: silence makes its texts final. */
	function unknown(): void {
		cancelAnswer();
		unanswered = 0;
		unknownMs = clock.now();
		if (knowsFinalize) return;
		withoutFinalize.add(dialled);
		log.info('finalize is not known');
	}

	/** Ids restart with each socket, and a socket answers only its own requests. */
	function forget(): void {
		open.clear();
		finished.clear();
		untranslated.clear();
		cancelAnswer();
		unanswered = 0;
	}

	function query(): Record<string, string> {
		const { language, targets } = settings;
		return {
			format: 'pcm_s16le',
			sample_rate: String(SOCKET_AUDIO.sampleRateHz),
			language,
			...(parts.asHeard && AS_HEARD.query),
			...(targets.length > 0 ? { translate_languages: targets.join(',') } : {}),
		};
	}

	async function connectOnce(): Promise<Result<void, ConnectionFailure>> {
		const address = parts.address();
		if (!address.ok) return err(failureOf(address.error));
		dialled = address.value;
		generation += 1;
		const own = generation;
		const heard = {
			frame: (text: string) => own === generation && receive(text),
			dropped: (ms: number) => own === generation && tell({ type: 'speech-lost', ms }),
			drained: () => parts.isHere && own === generation && drain(),
			ended(end: Parameters<typeof failureOfEnd>[0]) {
				if (own !== generation) return;
				socket = null;
				const isFresh = lastError !== null && clock.now() - lastError.atMs <= ERROR_BEFORE_CLOSE_MS;
				const isAsked = unanswered > 0 || clock.now() - unknownMs <= ERROR_BEFORE_CLOSE_MS;
				if (isAsked && !isFresh && end.by === 'peer' && end.code !== LOST.code) {
					// A service that closes because of `finalize` has not failed, and is connected to again.
					unknown();
					forget();
					if (finishing) isFinalized = true;
					else void restore(failureOfEnd(LOST, null));
					return;
				}
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
		forget();
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
		cancelAnswer();
		pacer.enter('closed', clock.now());
		if (socket) closing = socket.close();
		socket = null;
		await closing;
	}

	return {
		async open(wanted: TranscribeSettings, signal: AbortSignal): Promise<Result<void, Problem>> {
			if (signal.aborted) return err({ kind: 'cancelled' });
			control = new AbortController();
			const abort = () => void end();
			signal.addEventListener('abort', abort, { once: true });
			unlisten = () => signal.removeEventListener('abort', abort);
			settings = wanted;
			forget();
			lastError = null;
			beforeMs = null;
			finishing = false;
			isFinalized = false;
			pacer = createPacer(parts);
			// When this engine takes over, most speech arrives before there is a socket.
			if (parts.isHere) pacer.enter('holding', clock.now());
			reconnect = createReconnect(parts.random);
			const made = await connectOnce();
			if (made.ok) return ok();
			await end();
			return err(signal.aborted ? { kind: 'cancelled' } : made.error.problem);
		},
		/** 24 kHz mono, any length. */
		audio(pcm: Int16Array): void {
			const before = pacer.counts.droppedMs;
			pacer.push(pcm, clock.now());
			if (pacer.counts.droppedMs > before) tell({ type: 'speech-lost', ms: pacer.counts.droppedMs - before });
			drain();
		},
		get flowing(): boolean {
			return socket !== null && pacer.phase === 'flowing' && pacer.waitingMs < 2 * pacer.chunkMs;
		},
		/** Round trip of the open socket, ms; 0 = none, or not known yet. */
		get roundTripMs(): number {
			return socket?.roundTripMs ?? 0;
		},
		/** Asks the service to finalise all text so far at once; the socket stays open. */
		finalize: askForFinals,
		/** Finalises the text, sends silence until the last text is final, and closes, within the tail's limits. */
		async finish(): Promise<void> {
			// When nothing is captured, silence is sent; that also makes the last text final.
			const { signal } = control;
			const { idleMs, inAllMs } = parts.asHeard ? TAIL_HERE : TAIL;
			const settledMs = parts.asHeard ? idleMs : SETTLED_MS;
			finishing = true;
			askForFinals();
			const beganMs = clock.now();
			progressMs = beganMs;
			let leftMs = beganMs;
			const isSilent = () => {
				if (pacer.waitingMs > 0) leftMs = clock.now();
				return clock.now() - leftMs >= CLOSING_SILENCE_MS;
			};
			const isQuiet = () => clock.now() - progressMs >= settledMs;
			const isSettled = () => open.size === 0 && isQuiet();
			const isStuck = () => clock.now() - progressMs >= idleMs;
			const isComplete = () => open.size === 0 && untranslated.size === 0;
			const isOver = () =>
				isFinalized ? isComplete() || isQuiet() : isSilent() && (isSettled() || isStuck());
			await until(clock, isOver, inAllMs, signal);
			if (unanswered > 0 && !signal.aborted) unknown();
			await end();
		},
		close: end,
		listen: listeners.listen,
	};
}

/** A new socket waits at most this long for the last words of the previous one, ms. */
const LAST_WORDS_MS = 2500;

/**
 * Presents captions without speech like a conversation: the speech-to-text socket has no commands, so
 * `set_task` opens a socket, `pause_task` closes it when the last words are final, and the outcomes are
 * reported like a task's.
 */
export function createTranscribing(
	{
		clock,
		createEngine,
	}: {
		readonly clock: Clock;
		/** Creates a socket for each connection; settings cannot be changed on an open one (protocol 5.2). */
		readonly createEngine: () => SpeechToText;
	},
	opening: Pick<TranscribingOpening, 'language' | 'targets'>,
	heard: (event: SpeechStreamEvent) => void,
): SpeechStream {
	let engine: SpeechToText | null = null;
	/** The engine that finishes its last words after a pause or a change of languages; it gets no more sound. */
	let finishing: SpeechToText | null = null;
	/** Resolves when the last socket has closed: until then another one is refused (protocol 2.3). */
	let left: Promise<void> = Promise.resolve();
	/** Speech that is lost while a socket for other languages is opened, ms; null = none is being opened. */
	let unheardMs: number | null = null;
	/** True unless a pause or the end was requested last; the request may still wait its turn. */
	let goesOn = true;
	let settings: TranscribeSettings = { language: opening.language, targets: opening.targets };
	let signal: AbortSignal | null = null;
	let paused = false;
	let changing: Promise<void> = Promise.resolve();
	let beganMs: number | null = null;
	/** Number of the current socket: ids and times restart with each. */
	let connection = 0;
	let offsetS = 0;
	let chunksSent = 0;
	let chunksReceived = 0;

	function begin(): void {
		connection += 1;
		beganMs ??= clock.now();
		offsetS = (clock.now() - beganMs) / 1000;
	}

	async function connect(): Promise<Result<void, Problem>> {
		if (!signal || signal.aborted) return err({ kind: 'cancelled' });
		const own = createEngine();
		engine = own;
		own.listen((event) => {
			if (engine !== own) return;
			switch (event.type) {
				case 'text':
					chunksReceived += 1;
					return heard({ type: 'message', message: transcript(event.text) });
				case 'warning':
					return heard({ type: 'message', message: event });
				case 'restoring':
				case 'up':
					// No new connection is made just for the last words.
					if (finishing) return void leave();
					if (event.type === 'up') begin();
					return heard(event);
				case 'speech-lost':
					return heard(event);
				case 'closed':
					engine = null;
					return finishing ? undefined : heard({ type: 'closed', problem: event.problem });
			}
		});
		const opened = await own.open(settings, signal);
		if (opened.ok) begin();
		else if (engine === own) engine = null;
		return opened;
	}

	function transcript(text: SttText): (SpeechStreamEvent & { type: 'message' })['message'] {
		const { kind, final, id, language, startS, endS } = text;
		return {
			type: 'transcript',
			kind,
			final,
			transcriptionId: `${connection}:${id}`,
			partId: `${connection}:${id}`,
			language,
			text: text.text,
			startS: startS === null ? null : offsetS + startS,
			endS: endS === null ? null : offsetS + endS,
		};
	}

	function leave(): Promise<void> {
		if (engine) left = engine.close();
		engine = null;
		finishing = null;
		return left;
	}

	function letFinish(): void {
		const own = engine;
		if (!own) return;
		finishing = own;
		void own.finish().then(() => {
			if (finishing !== own) return;
			finishing = null;
			engine = null;
		});
	}

	function lastWords(limitMs: number): Promise<unknown> {
		return signal ? until(clock, () => finishing === null, limitMs, signal) : Promise.resolve();
	}

	async function setTask(task: Task): Promise<void> {
		const wanted = settingsOf(task);
		const isSame = JSON.stringify(wanted) === JSON.stringify(settings);
		settings = wanted;
		if (!paused && isSame && engine) return tellStatus('set_task');
		if (!paused) {
			unheardMs = 0;
			// Report a status, because the watchdog would suspect a link that is silent for this long.
			tellStatus('set_task', '', 'unknown');
			letFinish();
		}
		await lastWords(LAST_WORDS_MS);
		await leave();
		// The pause is over: a failure from here on ends the conversation.
		paused = false;
		const opened = goesOn ? await connect() : ok();
		const lostMs = unheardMs ?? 0;
		unheardMs = null;
		if (!signal) return;
		if (lostMs > 0) heard({ type: 'speech-lost', ms: lostMs });
		if (!opened.ok) return heard({ type: 'closed', problem: opened.error });
		// This is a new stream, so unfinished text of the previous socket is cut off.
		tellStatus('set_task', 'started');
	}

	function pause(): void {
		if (!paused) letFinish();
		paused = true;
		tellStatus('pause_task');
	}

	async function end(force: boolean): Promise<void> {
		if (!force && finishing) await lastWords(TAIL.inAllMs);
		else if (!force) await engine?.finish();
		await leave();
		heard({ type: 'message', message: { type: 'end-of-stream' } });
	}

	function tellStatus(command: string, event = '', status: TaskState = paused ? 'paused' : 'running'): void {
		heard({
			type: 'message',
			message: { type: 'task-status', command, event, status, transcriptionId: null },
		});
	}

	function obey(command: ClientMessage): void | Promise<void> {
		switch (command.message_type) {
			case 'set_task':
				return setTask(command.data);
			case 'pause_task':
				return pause();
			case 'end_task':
				return end(command.data.force === true);
			case 'get_task':
				return heard({
					type: 'message',
					message: {
						type: 'current-task',
						status: paused ? 'paused' : 'running',
						targets: [...settings.targets],
					},
				});
			// Ignore other commands: there is no voice to cut off, and none to speak a typed text.
			default:
				return;
		}
	}

	return {
		async open(given) {
			signal = given;
			const opened = await connect();
			return opened.ok ? ok() : opened;
		},
		send(command) {
			if (!signal || signal.aborted) return false;
			const { message_type: asked } = command;
			if (asked === 'set_task') goesOn = true;
			if (asked === 'pause_task' || asked === 'end_task') goesOn = false;
			// Run commands one after the other: a pause that overtakes a start would leave a socket open.
			changing = changing.then(() => obey(command));
			return true;
		},
		finalize() {
			if (!finishing) engine?.finalize();
		},
		audio(samples) {
			if (paused || (!engine && unheardMs === null)) return;
			// Count the chunk even if no socket receives it:
			// the watchdog gives up a link whose count does not grow.
			chunksSent += 1;
			if (unheardMs === null) engine?.audio(samples);
			else if (!isQuiet(samples, samples.length))
				unheardMs += (samples.length / SOCKET_AUDIO.sampleRateHz) * 1000;
		},
		async close() {
			signal = null;
			await leave();
		},
		counts: () => ({ chunksSent, chunksReceived, roundTripMs: engine?.roundTripMs ?? 0 }),
	};
}

/** The speech-to-text socket does not accept regions (protocol 6.4). */
function settingsOf({ pipeline }: Task): TranscribeSettings {
	const targets = pipeline.translations.map(({ target_language: language }) => baseOf(language));
	return { language: baseOf(pipeline.transcription.source_language), targets: [...new Set(targets)] };
}
