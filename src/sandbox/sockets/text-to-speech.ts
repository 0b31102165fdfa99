import { randomUUID } from 'node:crypto';
import type { FaultSet } from '#sandbox/faults.ts';
import { canEncodeMp3 } from '#sandbox/speech/encode.ts';
import type { Synthesizer } from '#sandbox/speech/synthesizer.ts';
import type { Timbre } from '#sandbox/speech/timbre.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { parseJson } from '#shared/protocol/json.ts';
import { SPOKEN_LANGUAGES } from '#shared/protocol/languages.ts';
import { TTS_LIMIT, TtsClientMessage } from '#shared/protocol/text-to-speech.ts';
import { ERROR_CODE, WARNING_CODE } from '#shared/protocol/vocabulary.ts';
import { type Connection, type Endpoint, textOf } from './connection.ts';
import { type Utterance, wholeSentences } from './sentences.ts';
import { createSynthesis, type OutputFormat, type Synthesis, type VoiceChoice } from './synthesis.ts';

type Init = Extract<TtsClientMessage, { type: 'init' }>;
type Text = Extract<TtsClientMessage, { type: 'text' }>;
type VoiceOptions = NonNullable<Text['voice_options']>;

/** Codes of this product besides the common ones (protocol 5.3). */
const CONFLICT = 'CONFLICT';
const UNAVAILABLE = 'SERVICE_UNAVAILABLE';

const SECOND_MS = 1000;

/** Texts up, pieces of speech down (protocol 5.3). */
export function serveTextToSpeech(parts: {
	connection: Connection;
	clock: Clock;
	faults: FaultSet;
	synthesizer: Synthesizer;
	/** Null: there is no such voice. */
	timbreOf(voiceId: string): Timbre | null;
	random: () => number;
	generation: 'current' | 'older';
}): Endpoint {
	const { connection, clock, faults, generation } = parts;
	let synthesis: Synthesis | null = null;
	let utterance: Utterance | null = null;
	let voice: VoiceChoice = { timbre: 'low', tempo: 1 };
	let times: readonly number[] = [];
	let closed = false;
	/** Messages are handled one after the other: the first may have to find out what this computer can do. */
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
			// Whether 0.5 or 1 is normal is disputed; here 1 is.
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
		if (closed) return;
		voice = choiceOf(init.voice_options);
		synthesis = createSynthesis({ ...parts, language, format, rateHz });
	}

	/** Why a text is not spoken, or null. */
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

	/** The older generation knows no texts to cancel, only all of them. */
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
