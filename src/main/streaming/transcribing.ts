import type { TranscribingOpening } from '#shared/host/streams.ts';
import { type Clock, until } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage, Task } from '#shared/protocol/client-message.ts';
import { baseOf } from '#shared/protocol/languages.ts';
import { SOCKET_AUDIO, TAIL } from '#shared/protocol/limits.ts';
import type { TaskState } from '#shared/protocol/server-message.ts';
import type { SttText } from '#shared/protocol/speech-to-text.ts';
import { isQuiet } from './pacer.ts';
import type { SpeechToText, TranscribeSettings } from './speech-to-text.ts';
import type { SpeechStream, SpeechStreamEvent } from './streams.ts';

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
			// Count the chunk even if no socket receives it: the watchdog gives up a link whose count does
			// not grow.
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
