import { decodeBase64 } from '#shared/lib/base64.ts';
import { type BackoffPlan, backoffDelay, type Clock, pause } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { localeTag } from '#shared/protocol/languages.ts';
import { AS_HEARD, SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import type { ServiceErrorMessage } from '#shared/protocol/server-message.ts';
import { saidInMessage } from '#shared/protocol/service-error.ts';
import { decodeTtsMessage, type TtsAudio, type TtsClientMessage } from '#shared/protocol/text-to-speech.ts';
import { ERROR_CODE, VOICE, WARNING_CODE } from '#shared/protocol/vocabulary.ts';
import { bytesToS16 } from '#shared/sound/pcm.ts';
import { splitText } from '#shared/typing/split-text.ts';
import type { Socket, Sockets } from './socket.ts';
import { failureOf, problemOfEnd } from './socket-ends.ts';

interface SpeakSettings {
	readonly language: string;
	/** Language of texts translated before they are spoken, only on this computer. Default: `language`. */
	readonly from?: string | undefined;
	/** Default: the low built-in voice. */
	readonly voiceId?: string | undefined;
	/** A missing voice is `not-found`; otherwise the service's default voice speaks in its place. */
	readonly noOtherVoice?: boolean;
}

/** A piece of speech, 24 kHz mono. */
export interface SpokenPiece {
	readonly generationId: string;
	readonly samples: Int16Array<ArrayBuffer>;
}

/** Longest text in one message, in characters: within every limit that was ever documented (protocol 5.3). */
const TEXT_LENGTH = 256;
/** Time between two texts, to stay below the service's limit of 50 a second (protocol 5.3), ms. */
const TEXT_SPACING_MS = 25;
/** While this much speech is still to be played, ms, hand out the next sentence completely or not at all. */
const AHEAD_MS = 500;
/** A text without any sound for this long is given up, ms. */
const SILENT_MS = 15_000;
/** A text that has sound but whose last piece is missing ends after this, ms (protocol 5.3). */
const STALLED_MS = 8000;
/** Attempts for a text that the service refused for now, and for one whose connection was lost. */
const REFUSED: BackoffPlan = { baseMs: 1000, capMs: 8000, tries: 3 };
const LOST: BackoffPlan = { baseMs: 1000, capMs: 8000, tries: 5 };
/** Errors after which a retry makes sense (protocol 5.3). */
const PASSING = new Set(['SERVICE_UNAVAILABLE', ERROR_CODE.rateLimit]);

/** One message of a text, under a generation of its own. */
interface Utterance {
	readonly id: string;
	readonly listener: Listener;
	readonly done: (result: Result<'again' | 'spoken', Problem>) => void;
	/** Pieces that have arrived but are not handed out yet. */
	readonly kept: SpokenPiece[];
	/** The translation, if any; reported with its sound, because another attempt translates it again. */
	readonly untold: string[];
	/** True once some of its sound was handed out: it cannot be requested again. */
	hasSound: boolean;
	lastMs: number;
}

/** The receiver of a text's speech. */
interface Listener {
	readonly heard: (piece: SpokenPiece) => void;
	readonly translated: (text: string) => void;
	/** The earliest time at which all sound handed out has been played. */
	playedOutMs: number;
}

export type TextToSpeech = ReturnType<typeof createTextToSpeech>;

/** Sends texts, receives speech (protocol 5.3). */
export function createTextToSpeech(parts: {
	/** The voice is written to a file: it need not come in real time (`AS_HEARD`). */
	readonly asHeard?: boolean;
	readonly sockets: Sockets;
	readonly address: () => Result<string, Problem>;
	readonly clock: Clock;
	readonly log: Logger;
	/** [0, 1) */
	readonly random: () => number;
}) {
	const { clock, log, random } = parts;
	let socket: Socket | null = null;
	/** The connection attempt under way: a text that arrives meanwhile shares it. */
	let connecting: Promise<Result<void, Problem>> | null = null;
	let control = new AbortController();
	let settings: SpeakSettings = { language: 'en' };
	let current: Utterance | null = null;
	/** Why the connection ended, if we did not end it. */
	let lost: Problem = { kind: 'connection-lost', reason: 'closed' };
	let serial = 0;
	let turn = 0;
	let piecesDropped = 0;
	let lastError: ServiceErrorMessage | null = null;
	/** Set if the voice is missing and no other may speak. */
	let noVoice: Problem | null = null;

	const send = (message: TtsClientMessage) => socket?.send(JSON.stringify(message)) ?? false;

	function settle(result: Result<'again' | 'spoken', Problem>): void {
		const ended = current;
		current = null;
		ended?.done(result);
	}

	function hearAudio({ generationId, audio, last }: TtsAudio): void {
		// It belongs to an older, cancelled text; a service that names no generation means the current one.
		if (!current || (generationId !== null && generationId !== current.id)) return;
		current.lastMs = clock.now();
		const bytes = decodeBase64(audio);
		const samples = bytes && bytesToS16(bytes);
		if (samples === null) piecesDropped += 1;
		else if (samples.length > 0) current.kept.push({ generationId: current.id, samples });
		if (last || current.listener.playedOutMs - clock.now() < AHEAD_MS) handOut(current);
		if (last) settle(ok('spoken'));
	}

	function handOut(own: Utterance): void {
		const { listener } = own;
		for (const said of own.untold.splice(0)) listener.translated(said);
		for (const piece of own.kept.splice(0)) {
			own.hasSound = true;
			const lengthMs = (piece.samples.length / SOCKET_AUDIO.sampleRateHz) * 1000;
			listener.playedOutMs = Math.max(listener.playedOutMs, clock.now()) + lengthMs;
			listener.heard(piece);
		}
	}

	function receive(frame: string): void {
		const message = decodeTtsMessage(frame);
		if (message.type === 'audio') hearAudio(message);
		if (message.type === 'translated' && current?.id === message.generationId)
			current.untold.push(message.text);
		if (message.type === 'error') {
			lastError = message;
			log.warn('text not spoken', { code: message.code });
			const isPassing = PASSING.has(message.code) && current?.hasSound === false;
			if (isAboutVoice(message)) refuseVoice();
			settle(isPassing ? ok('again') : err(noVoice ?? problemOf(message)));
		}
		if (message.type === 'warning' && message.code === WARNING_CODE.voiceNotFound) {
			log.warn('voice not found');
			refuseVoice();
			if (noVoice) settle(err(noVoice));
		}
	}

	function refuseVoice(): void {
		const { noOtherVoice, voiceId } = settings;
		if (noOtherVoice && voiceId !== undefined) noVoice = { kind: 'not-found', what: 'voice', name: voiceId };
	}

	async function connectOnce(): Promise<Result<void, Problem>> {
		const address = parts.address();
		if (!address.ok) return address;
		lastError = null;
		const own = control;
		let mine: Socket | null = null;
		const opened = await parts.sockets.open(
			{ address: address.value, ...(parts.asHeard && { query: AS_HEARD.query }) },
			{
				frame: receive,
				dropped() {},
				ended(end) {
					if (own !== control || socket !== mine) return;
					socket = null;
					lost = problemOfEnd(end, lastError);
					settle(current?.hasSound === false && lost.kind === 'connection-lost' ? ok('again') : err(lost));
				},
			},
			own.signal,
		);
		if (!opened.ok) return opened;
		if (own.signal.aborted) {
			await opened.value.close();
			return err({ kind: 'cancelled' });
		}
		mine = opened.value;
		socket = mine;
		send({
			type: 'init',
			language: settings.language,
			...(settings.from !== undefined && { translate_from: settings.from }),
			model: 'auto',
			voice_options: { voice_id: settings.voiceId ?? VOICE.low },
			output: { format: 'pcm', sample_rate: SOCKET_AUDIO.sampleRateHz },
		});
		return ok();
	}

	function connect(): Promise<Result<void, Problem>> {
		connecting ??= connectOnce();
		const own = connecting;
		return own.finally(() => {
			if (connecting === own) connecting = null;
		});
	}

	/** Has the text spoken once. `again` = nothing was heard yet, and another attempt may succeed. */
	async function utter(text: string, listener: Listener): Promise<Result<'again' | 'spoken', Problem>> {
		serial += 1;
		// An error of an earlier text does not concern this one.
		lastError = null;
		const id = `g${serial}`;
		const { promise, resolve } = Promise.withResolvers<Result<'again' | 'spoken', Problem>>();
		const own: Utterance = {
			id,
			listener,
			done: resolve,
			kept: [],
			untold: [],
			hasSound: false,
			lastMs: clock.now(),
		};
		current = own;
		const stop = clock.every(1000, () => {
			if (current !== own) return;
			const afterMs = clock.now() - own.lastMs;
			if ((own.hasSound || own.kept.length > 0) && afterMs >= STALLED_MS) {
				log.warn('text ended without its last piece');
				handOut(own);
				settle(ok('spoken'));
			} else if (afterMs >= SILENT_MS) settle(err({ kind: 'timed-out', what: 'speak', afterMs: SILENT_MS }));
		});
		send({ type: 'text', text, is_eos: true, generation_id: id });
		const result = await promise;
		stop();
		return result;
	}

	function cancel(): void {
		turn += 1;
		if (!current) return;
		send({ type: 'cancel', generation_id: current.id });
		settle(err({ kind: 'cancelled' }));
	}

	/** Makes one attempt; connects if needed. */
	async function attempt(
		text: string,
		listener: Listener,
		isCurrent: () => boolean,
	): Promise<Result<'again' | 'spoken', Problem>> {
		const ready = socket ? ok() : await connect();
		if (!isCurrent()) return err({ kind: 'cancelled' });
		if (noVoice) return err(noVoice);
		if (ready.ok) return utter(text, listener);
		lost = ready.error;
		return failureOf(lost).rule === 'again' ? ok('again') : ready;
	}

	/** Has one message of a text spoken, with as many attempts as make sense. */
	async function say(
		text: string,
		listener: Listener,
		isCurrent: () => boolean,
	): Promise<Result<void, Problem>> {
		for (let tries = 1; ; tries += 1) {
			const result = await attempt(text, listener, isCurrent);
			if (!result.ok) return result;
			if (result.value === 'spoken') return ok();
			const delayMs = backoffDelay(socket ? REFUSED : LOST, tries, random);
			if (delayMs === null) return err(lastError ? problemOf(lastError) : lost);
			await pause(clock, delayMs, control.signal);
			if (!isCurrent()) return err({ kind: 'cancelled' });
		}
	}

	async function speak(
		text: string,
		heard: Listener['heard'],
		translated: Listener['translated'] = () => {},
	): Promise<Result<void, Problem>> {
		cancel();
		const own = turn;
		const isCurrent = () => own === turn;
		const listener: Listener = { heard, translated, playedOutMs: clock.now() };
		const pieces = splitText(text, localeTag(settings.from ?? settings.language), TEXT_LENGTH);
		for (const [index, piece] of pieces.entries()) {
			if (index > 0) await pause(clock, TEXT_SPACING_MS, control.signal);
			const said = isCurrent() ? await say(piece, listener, isCurrent) : err({ kind: 'cancelled' } as const);
			if (!said.ok) return said;
		}
		return ok();
	}

	async function close(): Promise<void> {
		turn += 1;
		control.abort();
		const last = socket;
		socket = null;
		settle(err({ kind: 'cancelled' }));
		await last?.close();
	}

	return {
		async open(wanted: SpeakSettings, signal: AbortSignal): Promise<Result<void, Problem>> {
			if (signal.aborted) return err({ kind: 'cancelled' });
			control = new AbortController();
			const own = control;
			signal.addEventListener('abort', () => void (own === control && close()), { once: true });
			settings = wanted;
			noVoice = null;
			// The attempt under way is for other settings.
			connecting = null;
			const made = await connect();
			return made.ok || !signal.aborted ? made : err({ kind: 'cancelled' });
		},
		/**
		 * Has a text of any length spoken; `heard` gets its speech piece by piece. If the text is translated,
		 * `translated` first gets the translation. Resolves with the last piece, with `cancelled` after `cancel`
		 * or another `speak`, or with what went wrong. After a lost connection it continues with the first text
		 * of which no sound was handed out yet; no word is spoken twice.
		 */
		speak,
		/** Drops the current text; the next one can follow at once. */
		cancel,
		close,
		/** Pieces that could not be read. */
		get piecesDropped(): number {
			return piecesDropped;
		},
	};
}

function isAboutVoice({ code, field }: ServiceErrorMessage): boolean {
	return code === WARNING_CODE.voiceNotFound || /\bvoice_id\b/.test(field);
}

function problemOf(error: ServiceErrorMessage): Problem {
	const { code, text, field } = error;
	const said = saidInMessage(error);
	if (code === ERROR_CODE.validation || code === ERROR_CODE.badRequest)
		return { kind: 'task-refused', field, detail: text || code };
	if (code === ERROR_CODE.rateLimit) return { kind: 'rate-limited', retryAfterMs: 1000, ...said };
	if (code === 'UNAUTHORIZED') return { kind: 'api-key-rejected', status: 401, ...said };
	return { kind: 'service-failed', status: 503, detail: text, code };
}
