import { randomUUID } from 'node:crypto';
import { createPhrasePicker } from '#sandbox/canned/phrases.ts';
import type { FaultSet } from '#sandbox/faults.ts';
import { draw } from '#sandbox/interpreter/transport.ts';
import { canEncodeMp3, encodeMp3 } from '#sandbox/speech/codec.ts';
import { resample, SPEECH_HZ, s16Bytes, toFloat, toS16 } from '#sandbox/speech/pcm.ts';
import type { Synthesizer } from '#sandbox/speech/synthesizer.ts';
import type { Timbre } from '#sandbox/speech/timbre.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import { parseJson } from '#shared/protocol/json.ts';
import { SPOKEN_LANGUAGES } from '#shared/protocol/languages.ts';
import { TTS_LIMIT, TtsClientMessage } from '#shared/protocol/text-to-speech.ts';
import { ERROR_CODE, WARNING_CODE } from '#shared/protocol/vocabulary.ts';
import { wavHead } from '#shared/sound/wav.ts';
import { disorder, type Piece } from './bursts.ts';
import { type Connection, type Endpoint, textOf } from './connection.ts';

/** The end of a sentence, where another may begin. */
const END = /[.!?…]+["'»”)]*(?=\s)|[。！？]+["'」』）]*/gu;

const CHUNK_MS = 200;

const SPEED = [3, 5] as const;

/** Delay from accepting a text to the start of its speech, ms. */
const FIRST = [150, 300] as const;

type Init = Extract<TtsClientMessage, { type: 'init' }>;
type Text = Extract<TtsClientMessage, { type: 'text' }>;
type VoiceOptions = NonNullable<Text['voice_options']>;

/** Codes of this product in addition to the common ones (protocol 5.3). */
const CONFLICT = 'CONFLICT';
const UNAVAILABLE = 'SERVICE_UNAVAILABLE';

const SECOND_MS = 1000;

/** Returns null if no installed model translates the pair. */
type Translate = (text: string, from: string, to: string) => Promise<string | null>;

/** Texts from the client, pieces of speech back (protocol 5.3). */
export function serveTextToSpeech(parts: {
	connection: Connection;
	clock: Clock;
	faults: FaultSet;
	synthesizer: Synthesizer;
	/** If absent, texts are not translated. */
	translate?: Translate | undefined;
	timbreOf(voiceId: string): Timbre | null;
	random: () => number;
	generation: 'current' | 'older';
	/** True if the client writes the voice to a file (`AS_HEARD`) instead of playing it live. */
	asHeard: boolean;
}): Endpoint {
	const { connection, clock, faults, generation } = parts;
	let synthesis: Synthesis | null = null;
	let utterance: Utterance | null = null;
	let voice: VoiceChoice = { timbre: 'low', tempo: 1 };
	let times: readonly number[] = [];
	let closed = false;
	/** Messages are handled one after the other: the first may have to check the abilities of this computer. */
	let turn: Promise<void> = Promise.resolve();

	function refuse(code: string, desc: string): void {
		connection.say({ message_type: 'error', data: { code, desc } });
	}

	function choiceOf(options: VoiceOptions): VoiceChoice {
		const { voice_id: id, speed } = options;
		const timbre = id === undefined ? voice.timbre : parts.timbreOf(id);
		if (id !== undefined && timbre === null) {
			const message = `Voice ${id.slice(0, 64)} is not available, the default voice speaks instead`;
			connection.say({ message_type: 'warning', data: { code: WARNING_CODE.voiceNotFound, message } });
		}
		return {
			timbre: timbre ?? 'low',
			// It is disputed whether 0.5 or 1 is normal; here 1 is.
			tempo: speed === undefined ? voice.tempo : Math.max(0.5, Math.min(2, speed)),
		};
	}

	async function begin(init: Init): Promise<void> {
		if (synthesis) return refuse(CONFLICT, 'init was sent before');
		const language = init.language.toLowerCase();
		if (!SPOKEN_LANGUAGES.includes(language)) {
			return refuse(ERROR_CODE.validation, `language: input should be one of ${SPOKEN_LANGUAGES.join(', ')}`);
		}
		const { min, max } = TTS_LIMIT.sampleRateHz;
		const rateHz = init.output?.sample_rate ?? TTS_LIMIT.sampleRateHz.default;
		if (!Number.isInteger(rateHz) || rateHz < min || rateHz > max) {
			return refuse(ERROR_CODE.validation, `output.sample_rate: must be between ${min} and ${max}`);
		}
		const format: OutputFormat = init.output?.format ?? 'mp3';
		if (format === 'mp3' && (faults.has('no-mp3') || !(await canEncodeMp3()))) {
			return refuse(
				ERROR_CODE.validation,
				'output.format: the sandbox makes mp3 only where ffmpeg is installed',
			);
		}
		const from = init.translate_from?.toLowerCase() ?? language;
		const translate = (text: string) => parts.translate?.(text, from, language) ?? null;
		if (from !== language && (await translate('.')) === null) {
			return refuse(ERROR_CODE.validation, `translate_from: nothing translates ${from} here`);
		}
		if (closed) return;
		voice = choiceOf(init.voice_options);
		synthesis = createSynthesis({
			...parts,
			language,
			format,
			rateHz,
			translated: from === language ? null : translate,
		});
	}

	/** Why a text cannot be spoken, or null. */
	function faultOf({ text }: Text): readonly [code: string, desc: string] | null {
		if (!synthesis) return [ERROR_CODE.badRequest, 'init must be sent first'];
		const now = clock.now();
		times = [...times.filter((at) => now - at < SECOND_MS), now];
		if (times.length > TTS_LIMIT.textsPerSecond) return [ERROR_CODE.rateLimit, 'Too many texts in a second'];
		if (text.trim() === '' || text.length > TTS_LIMIT.characters) {
			return [ERROR_CODE.validation, `text: must have 1 to ${TTS_LIMIT.characters} characters`];
		}
		return faults.take('tts-unavailable') ? [UNAVAILABLE, 'Unavailable on purpose'] : null;
	}

	function speak(message: Text): void {
		const fault = faultOf(message);
		if (fault) refuse(...fault);
		if (fault || !synthesis) return;
		connection.working();
		if (message.voice_options) voice = choiceOf(message.voice_options);
		const id = message.generation_id ?? utterance?.id ?? randomUUID();
		// A new generation ends the previous one.
		if (utterance && utterance.id !== id) finish(synthesis, utterance);
		utterance ??= { id, rest: '' };
		const { whole, rest } = wholeSentences(utterance.rest + message.text);
		utterance.rest = rest;
		if (whole !== '') synthesis.speak(id, whole, voice);
		if (message.is_eos) finish(synthesis, utterance);
	}

	function finish(to: Synthesis, { id, rest }: Utterance): void {
		utterance = null;
		if (rest.trim() !== '') to.speak(id, rest.trim(), voice);
		to.finish(id);
	}

	/** The older generation can only cancel all texts, not single ones. */
	function cancel(id: string | undefined): void {
		const one = generation === 'older' ? undefined : id;
		if (one === undefined || utterance?.id === one) utterance = null;
		synthesis?.cancel(one);
	}

	async function obey(frame: Buffer): Promise<void> {
		if (closed) return;
		const text = textOf(frame);
		const json = text === null ? null : parseJson(text);
		if (!json?.ok) return refuse(ERROR_CODE.badRequest, 'The message is not JSON');
		const parsed = TtsClientMessage.safeParse(json.value);
		if (!parsed.success) {
			const issue = parsed.error.issues[0];
			const at = (issue?.path ?? []).map(String).join('.');
			return refuse(ERROR_CODE.validation, `${at || 'message'}: ${issue?.message ?? 'invalid'}`);
		}
		const message = parsed.data;
		if (message.type === 'init') await begin(message);
		else if (message.type === 'text') speak(message);
		else cancel(message.generation_id);
	}

	return {
		receive(frame) {
			turn = turn.then(() => obey(frame));
		},
		gone() {
			closed = true;
			synthesis?.close();
		},
	};
}

type OutputFormat = 'pcm' | 'mp3' | 'wav';

interface VoiceChoice {
	readonly timbre: Timbre;
	/** 1 is normal. */
	readonly tempo: number;
}

type Synthesis = ReturnType<typeof createSynthesis>;

/** Texts of one connection, in order. PCM is sent by sentence; `wav` and `mp3` are one file per generation. */
function createSynthesis(parts: {
	connection: Connection;
	clock: Clock;
	faults: FaultSet;
	synthesizer: Synthesizer;
	random: () => number;
	asHeard: boolean;
	language: string;
	/** The words to speak instead of a text; null = the text itself. */
	translated: ((text: string) => Promise<string | null> | null) | null;
	format: OutputFormat;
	/** Sampling rate of the output, Hz. */
	rateHz: number;
}) {
	const { connection, clock, faults, synthesizer, random, asHeard, language, translated, format, rateHz } =
		parts;
	const scope = createScope(clock);
	const phrasePicker = createPhrasePicker('script');
	let era = 0;
	let noteTold = false;
	let turn: Promise<void> = Promise.resolve();
	/** With the fault `interleaved-chunks` each generation has its own sequence. */
	const turns = new Map<string, Promise<void>>();
	const cancelled = new Set<string>();
	/** Generations to be cut off in the middle. */
	const cut = new Set<string>();
	/** By generation: the pieces of a file that is sent once complete. */
	const collected = new Map<string, Buffer[]>();
	let startedAt: number | null = null;

	function pause(ms: number): Promise<void> {
		return new Promise((done) => {
			if (scope.closed) done();
			else scope.after(ms, done);
		});
	}

	/** Runs steps in order; skips cancelled ones. */
	function next(id: string, run: (stale: () => boolean) => Promise<void>): void {
		const mine = era;
		const stale = () => mine !== era || cancelled.has(id) || scope.closed;
		const step = () => (stale() ? undefined : run(stale));
		if (!faults.has('interleaved-chunks') || format !== 'pcm') turn = turn.then(step);
		else turns.set(id, (turns.get(id) ?? Promise.resolve()).then(step));
	}

	async function pcmOf(text: string, voice: VoiceChoice): Promise<Buffer> {
		const hasClip = phrasePicker.hasClip(text, language);
		if (!hasClip || voice.timbre === 'cloned') {
			const placeholder = faults.has('placeholder-voice');
			const {
				samples,
				rateHz: from,
				note,
			} = await synthesizer.read(text, language, { ...voice, placeholder });
			if (note !== null && !noteTold) {
				noteTold = true;
				connection.say({ message_type: 'warning', data: { code: 'PLACEHOLDER_VOICE', message: note } });
			}
			// The right words in the wrong voice are better than tones.
			if (note === null || !hasClip) return s16Bytes(toS16(resample(samples, from, rateHz)));
		}
		const samples = toFloat(await synthesizer.samples(phrasePicker.voiceOf(text, language)));
		return s16Bytes(toS16(resample(samples, SPEECH_HZ, rateHz)));
	}

	function chunk(id: string, bytes: Buffer, lengthMs: number, index: number): void {
		const nowMs = clock.now();
		startedAt ??= nowMs;
		let audio = bytes.toString('base64');
		if (index % 2 === 1 && faults.has('bad-base64')) audio = '*** this is not base64 ***';
		if (index % 2 === 1 && faults.has('odd-bytes')) audio = Buffer.alloc(1201, 1).toString('base64');
		connection.say({
			message_type: 'audio_chunk',
			data: {
				audio,
				size: bytes.length,
				generation_id: id,
				last_chunk: false,
				chunk_generation_delta: Math.round(nowMs - startedAt),
				audio_len: Math.round(lengthMs) / 1000,
			},
		});
	}

	async function send(id: string, bytes: Buffer, lengthMs: number, stale: () => boolean): Promise<void> {
		const parted = cutUp(bytes, lengthMs);
		const each = lengthMs / Math.max(1, parted.length);
		const pieces = disorder(parted, faults);
		for (const [index, piece] of pieces.entries()) {
			if (stale() || cut.has(id)) return;
			chunk(id, piece.bytes, each, index);
			if (index >= pieces.length / 2 && faults.take('cut-text')) cut.add(id);
			if (index === pieces.length - 1 || asHeard || faults.has('fast-output')) continue;
			if (faults.has('stalled-output') && index % 3 === 2) await pause(3000);
			await pause(faults.has('slow-output') ? each * 2 : each / draw(SPEED, random));
		}
	}

	/** Splits raw samples every 200 ms, and a file into one piece for each 200 ms of its length. */
	function cutUp(bytes: Buffer, lengthMs: number): readonly Piece[] {
		const samples = Math.round((rateHz * CHUNK_MS) / 1000) * 2;
		const count = Math.max(1, Math.ceil(lengthMs / CHUNK_MS));
		const size = format === 'pcm' ? samples : Math.max(1, Math.ceil(bytes.length / count));
		const pieces: Piece[] = [];
		for (let at = 0; at < bytes.length; at += size) {
			pieces.push({ bytes: bytes.subarray(at, at + size), last: at + size >= bytes.length });
		}
		return pieces;
	}

	async function sendFile(id: string, stale: () => boolean): Promise<void> {
		const pcm = Buffer.concat(collected.get(id) ?? []);
		collected.delete(id);
		if (pcm.length === 0) return;
		const file =
			format === 'wav'
				? Buffer.concat([wavHead({ rateHz, channels: 1, bytes: pcm.length }), pcm])
				: await encodeMp3(pcm, rateHz);
		if (file) return send(id, file, (pcm.length / 2 / rateHz) * 1000, stale);
		connection.say({ message_type: 'error', data: { code: 'SERVER_ERROR', desc: 'ffmpeg made no mp3' } });
	}

	function marker(id: string): void {
		const data = { audio: '', size: 0, generation_id: id, last_chunk: true, chunk_generation_delta: null };
		if (!faults.has('no-last-chunk') && !cut.has(id))
			connection.say({ message_type: 'audio_chunk', data: { ...data, audio_len: null } });
		startedAt = null;
	}

	return {
		/** Speaks whole sentences as part of a generation. */
		speak(id: string, text: string, voice: VoiceChoice): void {
			next(id, async (stale) => {
				const ready = asHeard ? null : pause(draw(FIRST, random));
				const said = (await translated?.(text)) ?? text;
				if (stale()) return;
				if (translated)
					connection.say({ message_type: 'translated_text', data: { generation_id: id, text: said } });
				const pcm = await pcmOf(said, voice);
				await ready;
				if (stale()) return;
				if (format === 'pcm') await send(id, pcm, (pcm.length / 2 / rateHz) * 1000, stale);
				else collected.set(id, [...(collected.get(id) ?? []), pcm]);
			});
		},
		/** The generation is complete: its last chunk is marked. */
		finish(id: string): void {
			next(id, async (stale) => {
				if (format !== 'pcm') await sendFile(id, stale);
				if (!stale()) marker(id);
			});
		},
		/** Drops unsent speech of one generation, or of all; no further messages about it are sent. */
		cancel(id?: string): void {
			if (id !== undefined) return void cancelled.add(id);
			era += 1;
			collected.clear();
			startedAt = null;
		},
		close(): void {
			era += 1;
			scope.close();
		},
	};
}

/** One utterance of a client: all texts up to `is_eos`. */
interface Utterance {
	readonly id: string;
	/** Unspoken text without a complete sentence. */
	rest: string;
}

/** The complete sentences at the start of `text`, and the remaining text. */
export function wholeSentences(text: string): { readonly whole: string; readonly rest: string } {
	let cut = 0;
	for (const match of text.matchAll(END)) cut = match.index + match[0].length;
	return { whole: text.slice(0, cut).trim(), rest: text.slice(cut) };
}
