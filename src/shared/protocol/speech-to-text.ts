import { readSoundHeard } from './decode-server-message.ts';
import { cut, field, isObject, parseJson, plainText, textField } from './json.ts';
import { AS_HEARD, MAX_TEXT_LENGTH } from './limits.ts';
import type { ServiceErrorMessage } from './server-message.ts';
import { readServiceError } from './service-error.ts';
import { normaliseId } from './values.ts';

/** Speech to text: settings in the query, binary audio to the service, flat JSON back (protocol 5.2). */

/** Raw sample formats: mono, with a `sample_rate` except for 16 kHz `pcm_s16le`. */
export const RAW_FORMATS = [
	'pcm_s16le',
	'pcm_s32le',
	'pcm_s32be',
	'pcm_f32le',
	'pcm_f32be',
	'mulaw',
	'alaw',
] as const;
export type RawFormat = (typeof RAW_FORMATS)[number];
export const CONTAINER_FORMATS = ['webm', 'mp3', 'aac', 'ogg', 'flac', 'wav'] as const;

/** Hz; the default if the query gives no rate (protocol 5.2). */
export const TRANSCRIBED_RATE_HZ = 16_000;
/** Silence after which the service finalises the last words: send it before closing (protocol 5.2). */
export const CLOSING_SILENCE_MS = 1500;

/** Makes the text of all audio so far final (protocol 5.2). */
export const FINALIZE = { message_type: 'finalize' } as const;
/** The end, or the whole, of the final text that answers `finalize`. */
export const FINALIZED_MARKER = '<fin>';

export const STT_MESSAGE = {
	transcription: 'transcription',
	translated: 'translated_transcription',
} as const;

export type SttMessage =
	/** `finalized`: answers `finalize`, possibly without other text; then id and text are empty. */
	| (SttText & { readonly finalized: boolean })
	| ServiceErrorMessage
	| { readonly type: 'warning'; readonly code: string; readonly text: string }
	/** The answer to `AS_HEARD`. */
	| { readonly type: 'sound-heard'; readonly ms: number }
	/** A message of an unknown type, or an unreadable one: counted, never fatal. */
	| { readonly type: 'unknown'; readonly name: string };

/** A piece of transcript; replaces the previous text with its id and language. */
export interface SttText {
	readonly type: 'text';
	readonly kind: 'source' | 'translation';
	/** The same for a source text and its translations. */
	readonly id: string;
	/** In lower case. */
	readonly language: string;
	/** The whole segment so far: `delta` is never appended (protocol 5.2). */
	readonly text: string;
	readonly final: boolean;
	/** Seconds from the start of the stream; null when absent. */
	readonly startS: number | null;
	readonly endS: number | null;
}

/** Reads one frame, text or parsed JSON. Never throws. */
export function decodeSttMessage(input: unknown): SttMessage {
	const json = typeof input === 'string' ? parseJson(input) : ({ ok: true, value: input } as const);
	if (!json.ok) return { type: 'unknown', name: `(${json.error})` };
	const message = json.value;
	const name = textField(message, 'message_type') ?? '';
	switch (name) {
		case STT_MESSAGE.transcription:
		case STT_MESSAGE.translated:
			return readText(message, name === STT_MESSAGE.translated) ?? { type: 'unknown', name };
		case 'error':
			return readServiceError(isObject(field(message, 'data')) ? field(message, 'data') : message);
		case 'warning': {
			const data = isObject(field(message, 'data')) ? field(message, 'data') : message;
			const code = plainText(textField(data, 'code') ?? '', 64);
			return { type: 'warning', code, text: plainText(textField(data, 'message') ?? '', 300) };
		}
		case AS_HEARD.message:
			return readSoundHeard(field(message, 'data')) ?? { type: 'unknown', name };
		default:
			return { type: 'unknown', name: plainText(name, 64) || '(no-type)' };
	}
}

function readText(message: unknown, translated: boolean): SttMessage | null {
	const segment = field(message, 'segment');
	const said = textField(segment, 'text');
	const finalized = said?.includes(FINALIZED_MARKER) ?? false;
	const id = normaliseId(field(message, 'transcription_id'));
	if (said === undefined || (id === null && !finalized)) return null;
	// Words without an id cannot be placed; the marker still counts.
	const words = id === null ? '' : said;
	const text = finalized ? words.replaceAll(FINALIZED_MARKER, '').trim() : words;
	return {
		type: 'text',
		kind: translated ? 'translation' : 'source',
		id: id ?? '',
		language: plainText(textField(message, 'language') ?? '', 32).toLowerCase(),
		text: cut(text, MAX_TEXT_LENGTH),
		final: translated || field(message, 'is_eos') === true,
		startS: seconds(field(segment, 'start_time')),
		endS: seconds(field(segment, 'end_time')),
		finalized,
	};
}

function seconds(value: unknown): number | null {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
