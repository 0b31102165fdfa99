import { createListening, heardSoFar, misheard, type Segment } from '#sandbox/canned/listening.ts';
import { createPhrasePicker } from '#sandbox/canned/phrases.ts';
import type { FaultSet } from '#sandbox/faults.ts';
import { draw, TIMING } from '#sandbox/interpreter/transport.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope } from '#shared/lib/scope.ts';
import { parseJson, textField } from '#shared/protocol/json.ts';
import { AUTO, baseOf, TRANSCRIBED_SOURCES, TRANSCRIBED_TARGETS } from '#shared/protocol/languages.ts';
import { INPUT_TIMEOUT_MS } from '#shared/protocol/limits.ts';
import {
	CONTAINER_FORMATS,
	FINALIZE,
	FINALIZED_MARKER,
	RAW_FORMATS,
	STT_MESSAGE,
	TRANSCRIBED_RATE_HZ,
} from '#shared/protocol/speech-to-text.ts';
import { ERROR_CODE } from '#shared/protocol/vocabulary.ts';
import { type Connection, type Endpoint, textOf } from './connection.ts';
import { createSoundInput, type Sound } from './sound-input.ts';

/** Silence that ends a sentence, ms: with `FINAL`, a final comes about a second after speech (protocol 5.2). */
const SILENCE_MS = 800;

/** Delay from the detected end of a sentence to its final text, ms. */
const FINAL = [150, 250] as const;

const MISHEARD_EVERY = 4;

const LATE_MS = 4000;

const LOOK_MS = 100;
const RATE_HZ = { min: 4000, max: 192_000 } as const;

/** The options in the query. */
export interface Transcription {
	readonly sound: Sound;
	/** Language of the speech, without its region, or `auto`. */
	readonly language: string;
	readonly targets: readonly string[];
}

/** Reads the query (protocol 5.2); the error is the text of a 400. */
export function readTranscription(query: URLSearchParams): Result<Transcription, string> {
	const sound = readSound(query);
	if (!sound.ok) return sound;
	const language = (query.get('language') ?? 'auto').toLowerCase();
	if (!TRANSCRIBED_SOURCES.includes(language))
		return err(notOneOf('language', language, TRANSCRIBED_SOURCES));
	const targets = (query.get('translate_languages') ?? '').split(',').filter((code) => code !== '');
	const wrong = targets.find((code) => !TRANSCRIBED_TARGETS.includes(code));
	if (wrong !== undefined) return err(notOneOf('translate_languages', wrong, TRANSCRIBED_TARGETS));
	const filter = query.get('enable_filler_filter') ?? 'true';
	if (filter !== 'true' && filter !== 'false')
		return err(notOneOf('enable_filler_filter', filter, ['true', 'false']));
	const source = baseOf(language);
	return ok({ sound: sound.value, language: source, targets: [...new Set(targets)] });
}

function readSound(query: URLSearchParams): Result<Sound, string> {
	const name = query.get('format');
	if (name === null) return err('format: field required');
	if (name === 'wav') return ok({ kind: 'wav' });
	if (CONTAINER_FORMATS.some((format) => format === name)) return ok({ kind: 'opaque' });
	const format = RAW_FORMATS.find((raw) => raw === name);
	if (!format) return err(notOneOf('format', name, [...RAW_FORMATS, ...CONTAINER_FORMATS]));
	const rateHz = Number(query.get('sample_rate') ?? TRANSCRIBED_RATE_HZ);
	if (!Number.isInteger(rateHz) || rateHz < RATE_HZ.min || rateHz > RATE_HZ.max) {
		return err(`sample_rate: must be between ${RATE_HZ.min} and ${RATE_HZ.max}`);
	}
	return ok({ kind: 'raw', layout: { format, rateHz, channels: 1 } });
}

/** Binary audio in, flat JSON out; ends when the client closes or sends nothing for 10 s (protocol 5.2). */
export function serveSpeechToText(parts: {
	connection: Connection;
	clock: Clock;
	faults: FaultSet;
	random: () => number;
	generation: 'current' | 'older';
	settings: Transcription;
	/** The client sends a file (`AS_HEARD`). */
	asHeard: boolean;
	/** Default: the scripted transcriber. */
	createTranscriber?: ((parts: TranscriberParts) => Transcriber) | undefined;
}): Endpoint {
	const { connection, clock, faults, random, generation, settings } = parts;
	const scope = createScope(clock);
	const say = (message: object) => connection.say(message);
	const transcriber = (parts.createTranscriber ?? createScriptedTranscriber)({
		clock,
		random,
		faults,
		settings,
		say,
		asHeard: parts.asHeard,
	});
	const input = createSoundInput(settings.sound, clock, transcriber.hear);
	let lastAt = clock.now();

	// The sender of a file waits for us: on a slow computer one sentence may take longer to recognise.
	if (!parts.asHeard)
		scope.every(LOOK_MS, () => {
			if (clock.now() - lastAt < INPUT_TIMEOUT_MS || faults.has('no-timeout')) return;
			scope.close();
			connection.close(1001, 'no audio');
		});

	/** Handles `finalize`, the only message; the older generation has none and ignores text frames. */
	function obey(frame: Buffer): void {
		const text = textOf(frame);
		const json = text === null ? null : parseJson(text);
		if (!json?.ok || textField(json.value, 'message_type') !== FINALIZE.message_type) return;
		if (generation === 'older') return;
		if (faults.take('finalize-closes')) connection.close(1003, 'audio only');
		else if (faults.has('finalize-error')) {
			const desc = "message_type: input should be 'audio'";
			connection.say({ message_type: 'error', data: { code: ERROR_CODE.validation, desc } });
		} else transcriber.finalize();
	}

	return {
		receive(frame, { binary }) {
			// Text is not audio: it does not prevent the timeout.
			if (!binary) return obey(frame);
			lastAt = clock.now();
			connection.working();
			input.hear(frame);
		},
		gone() {
			scope.close();
			transcriber.close();
		},
	};
}

function notOneOf(name: string, value: string, allowed: readonly string[]): string {
	return `${name}: input should be one of ${allowed.join(', ')}; was ${JSON.stringify(value.slice(0, 40))}`;
}

/** Turns audio into flat transcripts. */
export interface Transcriber {
	/** Receives linear RMS 0..1 and the samples of `durationMs`; no samples if the audio cannot be decoded. */
	hear(level: number, durationMs: number, samples: Float32Array, rateHz: number): void;
	/** Finalises all texts so far; the confirming marker is on the last text, or alone. */
	finalize(): void;
	close(): void;
}

export interface TranscriberParts {
	readonly clock: Clock;
	readonly random: () => number;
	readonly faults: FaultSet;
	readonly settings: { readonly language: string; readonly targets: readonly string[] };
	readonly say: (message: object) => void;
	readonly asHeard: boolean;
}

/** The texts come from the phrase table, as everywhere in the sandbox; `auto` means English here. */
function createScriptedTranscriber(parts: TranscriberParts): Transcriber {
	const { clock, random, faults, settings, say } = parts;
	const { targets } = settings;
	const language = settings.language === AUTO ? 'en' : settings.language;
	const scope = createScope(clock);
	const phrasePicker = createPhrasePicker('script');
	const before = new Map<string, string>();
	/** Pending finals, oldest first; those in `marked` answer `finalize`. */
	const due = new Set<Segment>();
	const marked = new Set<Segment>();
	let count = 0;

	function message(segment: Segment, text: string, final: boolean): object {
		const { transcriptionId: id, startS, endS } = segment;
		const known = before.get(id) ?? '';
		// The text added at the end. If the end was rewritten, `delta` contains less than the change:
		// clients must not rely on it.
		const added = text.startsWith(known) ? text.slice(known.length).trim() : (text.split(' ').at(-1) ?? '');
		const times = { start_time: round(startS), end_time: round(endS) };
		before.set(id, text);
		return {
			message_type: STT_MESSAGE.transcription,
			transcription_id: id,
			language,
			is_eos: final,
			segment: { text, ...times },
			delta: { text: added, ...times },
		};
	}

	function translate(segment: Segment, target: string): void {
		scope.after(draw(TIMING.translated, random), () => {
			const text = phrasePicker.translation(segment.sentence, target);
			say({
				message_type: STT_MESSAGE.translated,
				transcription_id: segment.transcriptionId,
				language: target,
				is_eos: true,
				segment: { text, start_time: round(segment.startS), end_time: round(segment.endS) },
			});
		});
	}

	const listening = createListening({
		clock,
		newId() {
			count += 1;
			return `seg-${count}`;
		},
		rules: () =>
			faults.has('only-finalize')
				? { silenceMs: Infinity, split: false }
				: { silenceMs: SILENCE_MS, split: true },
		partial(segment) {
			if (faults.has('empty-segments')) say(message(segment, '', false));
			const whole = heardSoFar(phrasePicker.source(segment.sentence, language), segment.spokenMs);
			const text = segment.partials % MISHEARD_EVERY === 0 ? misheard(whole) : whole;
			say(message(segment, text, false));
		},
		final(segment) {
			due.add(segment);
			scope.after(draw(FINAL, random), () => finish(segment));
		},
	});

	function finish(segment: Segment): void {
		due.delete(segment);
		const text = phrasePicker.source(segment.sentence, language);
		const isMarked = marked.delete(segment);
		const isAlone = isMarked && faults.has('lone-fin');
		if (faults.has('empty-segments')) say(message(newSegment(), '', true));
		const said = faults.has('empty-segments') && segment.sentence === 2 ? '' : text;
		say(message(segment, isMarked && !isAlone ? `${said} ${FINALIZED_MARKER}`.trim() : said, true));
		before.delete(segment.transcriptionId);
		if (isAlone) say(message(newSegment(), FINALIZED_MARKER, true));
		for (const target of targets) translate(segment, target);
		if (!faults.has('repeated-finals')) return;
		say(message(segment, text.split(' ')[0] ?? '', false));
		say(message(segment, `${text} ${text}`, true));
		say(message(segment, '', true));
		before.delete(segment.transcriptionId);
	}

	/** A sentence without any recognised text. */
	function newSegment(): Segment {
		count += 1;
		const transcriptionId = `seg-${count}`;
		const nothing = { sentence: 0, startS: 0, endS: 0, startedAtS: 0, spokenMs: 0, partials: 0, packets: [] };
		return { transcriptionId, ...nothing };
	}

	function finalize(): void {
		listening.finish();
		if (faults.has('no-fin')) return;
		const last = [...due].at(-1);
		if (last && !marked.has(last)) marked.add(last);
		else scope.after(draw(FINAL, random), () => say(message(newSegment(), FINALIZED_MARKER, true)));
	}

	return {
		finalize() {
			if (faults.has('late-fin')) scope.after(LATE_MS, finalize);
			else finalize();
		},
		hear: (level, durationMs) => listening.hear(level, durationMs),
		close: () => scope.close(),
	};
}

function round(seconds: number): number {
	return Math.round(seconds * 1000) / 1000;
}
