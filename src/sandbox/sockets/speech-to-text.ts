import type { FaultSet } from '#sandbox/faults.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope } from '#shared/lib/scope.ts';
import { parseJson, textField } from '#shared/protocol/json.ts';
import { baseOf, TRANSCRIBED_SOURCES, TRANSCRIBED_TARGETS } from '#shared/protocol/languages.ts';
import { INPUT_TIMEOUT_MS } from '#shared/protocol/limits.ts';
import {
	CONTAINER_FORMATS,
	FINALIZE,
	RAW_FORMATS,
	TRANSCRIBED_RATE_HZ,
} from '#shared/protocol/speech-to-text.ts';
import { ERROR_CODE } from '#shared/protocol/vocabulary.ts';
import { type Connection, type Endpoint, textOf } from './connection.ts';
import { createSoundInput, type Sound } from './sound-input.ts';
import { createTranscriber } from './transcriber.ts';

const LOOK_MS = 100;
const RATE_HZ = { min: 4000, max: 192_000 } as const;

/** What the query asks for. */
export interface Transcription {
	readonly sound: Sound;
	/** Language of the texts; the sandbox detects nothing, so `auto` is English. */
	readonly language: string;
	readonly targets: readonly string[];
}

/** Reads the query (protocol 5.2); the error is the sentence of a 400. */
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
	const source = language === 'auto' ? 'en' : baseOf(language);
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

/** Binary audio up, flat JSON down; ends when the client closes or sends nothing for 10 s (protocol 5.2). */
export function serveSpeechToText(parts: {
	connection: Connection;
	clock: Clock;
	faults: FaultSet;
	random: () => number;
	generation: 'current' | 'older';
	settings: Transcription;
}): Endpoint {
	const { connection, clock, faults, random, generation, settings } = parts;
	const scope = createScope(clock);
	const transcriber = createTranscriber({
		clock,
		random,
		faults,
		settings,
		say: (message) => connection.say(message),
	});
	const input = createSoundInput(settings.sound, clock, (level, durationMs) =>
		transcriber.hear(level, durationMs),
	);
	let lastAt = clock.now();

	scope.every(LOOK_MS, () => {
		if (clock.now() - lastAt < INPUT_TIMEOUT_MS || faults.has('no-timeout')) return;
		scope.close();
		connection.close(1001, 'no audio');
	});

	/** The only message there is here; the older generation has none, and takes text frames for nothing. */
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
			// Text is not audio: it does not keep the connection open.
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
