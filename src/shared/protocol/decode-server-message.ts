import { decodeBase64 } from '#shared/lib/base64.ts';
import {
	cut,
	decodeUtf8,
	field,
	isObject,
	type JsonFault,
	type JsonObject,
	parseJson,
	plainText,
} from './json.ts';
import { AS_HEARD, MAX_PACKET_BYTES, MAX_TEXT_LENGTH } from './limits.ts';
import type {
	OutputAudioMessage,
	QueueLevel,
	ServerMessage,
	TaskState,
	TranscriptMessage,
} from './server-message.ts';
import { readServiceError } from './service-error.ts';
import { hashOf, normaliseId } from './values.ts';
import { SERVER_MESSAGE } from './vocabulary.ts';

const LANGUAGE = /^[a-z0-9_-]{1,35}$/;

/** Longest name of an unknown message that we store, so that counters stay small. */
const MAX_NAME_LENGTH = 64;
const MAX_TARGETS = 64;
const MAX_TIMINGS = 64;

/**
 * Decodes a message of the service from a data packet, a text frame or parsed JSON. Never throws, never blocks
 * for long: an unreadable message becomes `unknown` with a name under which it is counted. Names in brackets are
 * our own: `(not-json)`, `(not-utf8)`, `(too-large)`, `(too-deep)`, `(too-many)`, `(not-an-object)`,
 * `(no-type)`.
 *
 * Bytes must be one packet of at most 64 KiB; pass longer frames of a socket as text, at most 1 MiB.
 */
export function decodeServerMessage(input: unknown): ServerMessage {
	if (input instanceof Uint8Array) return decodeBytes(input);
	if (typeof input === 'string') return decodeText(input);
	return decodeObject(input);
}

function decodeBytes(bytes: Uint8Array): ServerMessage {
	if (bytes.byteLength > MAX_PACKET_BYTES) return unreadable('too-large');
	const text = decodeUtf8(bytes);
	return text === null ? unreadable('not-utf8') : decodeText(text);
}

function decodeText(text: string): ServerMessage {
	const json = parseJson(text);
	return json.ok ? decodeObject(json.value) : unreadable(json.error);
}

function unreadable(fault: JsonFault | 'not-an-object' | 'no-type'): ServerMessage {
	return { type: 'unknown', name: `(${fault})` };
}

function decodeObject(message: unknown): ServerMessage {
	if (!isObject(message)) return unreadable('not-an-object');
	const name = field(message, 'message_type');
	if (name === undefined) {
		const levels = readBareQueueLevel(message);
		return levels === null ? unreadable('no-type') : { type: 'queue-level', levels };
	}
	if (typeof name !== 'string' || name === '') return unreadable('no-type');
	// A message without `data` may contain the fields itself.
	return decodeData(name, unwrap(field(message, 'data')) ?? message) ?? unknown(name);
}

/** `data` may be JSON written as a string; it is decoded once (protocol 4.4). */
function unwrap(data: unknown): unknown {
	if (typeof data !== 'string') return data;
	const json = parseJson(data);
	return json.ok ? json.value : data;
}

function unknown(name: string): ServerMessage {
	return { type: 'unknown', name: plainText(name, MAX_NAME_LENGTH) || '(no-type)' };
}

/** `null` = an unknown type, or its data lacks what the type needs. */
function decodeData(name: string, data: unknown): ServerMessage | null {
	const shape = TRANSCRIPT_SHAPES.get(name);
	if (shape !== undefined) return readTranscript(shape, data);
	switch (name) {
		case SERVER_MESSAGE.taskStatus:
			return readTaskStatus(data);
		case SERVER_MESSAGE.currentTask:
			return readCurrentTask(data);
		case SERVER_MESSAGE.ttsBufferStats: {
			const levels = readBufferStats(data);
			return levels === null ? null : { type: 'queue-level', levels };
		}
		case SERVER_MESSAGE.pipelineTimings:
			return readTimings(data);
		case SERVER_MESSAGE.endOfStream:
		case SERVER_MESSAGE.eos:
			return { type: 'end-of-stream' };
		case AS_HEARD.message:
			return readSoundHeard(data);
		case SERVER_MESSAGE.warning:
			return readWarning(data);
		case SERVER_MESSAGE.error:
			return readServiceError(data);
		case SERVER_MESSAGE.outputAudioData:
			return readOutputAudio(data);
		default:
			return null;
	}
}

/** Reads the answer to `AS_HEARD`; null if it has no length. */
export function readSoundHeard(data: unknown): { readonly type: 'sound-heard'; readonly ms: number } | null {
	const ms = field(data, 'ms');
	return typeof ms === 'number' && ms >= 0 ? { type: 'sound-heard', ms } : null;
}

function readTaskStatus(data: unknown): ServerMessage | null {
	if (!isObject(data)) return null;
	return {
		type: 'task-status',
		command: word(field(data, 'command')),
		event: word(field(data, 'event')),
		status: stateOf(field(data, 'task_status')),
		transcriptionId: normaliseId(field(data, 'transcription_id')),
	};
}

function readCurrentTask(data: unknown): ServerMessage | null {
	if (!isObject(data)) return null;
	const pipeline = field(data, 'pipeline') ?? field(field(data, 'task'), 'pipeline');
	const translations = field(pipeline, 'translations');
	const entries: readonly unknown[] = Array.isArray(translations) ? translations.slice(0, MAX_TARGETS) : [];
	const targets = entries.map((entry) => word(field(entry, 'target_language'))).filter((code) => code !== '');
	return { type: 'current-task', status: stateOf(field(data, 'task_status')), targets };
}

function readTimings(data: unknown): ServerMessage | null {
	const timings = field(data, 'timings');
	const transcriptionId = normaliseId(field(data, 'transcription_id'));
	if (!isObject(timings) || transcriptionId === null) return null;
	const timingsS = new Map<string, number>();
	for (const stage of Object.keys(timings).slice(0, MAX_TIMINGS)) {
		const value = timings[stage];
		if (typeof value === 'number' && Number.isFinite(value)) timingsS.set(plainText(stage, 64), value);
	}
	return { type: 'timings', transcriptionId, timingsS };
}

function readWarning(data: unknown): ServerMessage {
	const { code, text } = readServiceError(data);
	return { type: 'warning', code, text };
}

function stateOf(value: unknown): TaskState {
	const state = word(value);
	return state === 'running' || state === 'paused' ? state : 'unknown';
}

/** A short lower-case word, or empty text. */
function word(value: unknown): string {
	return typeof value === 'string' ? plainText(value, MAX_NAME_LENGTH).toLowerCase() : '';
}

/**
 * Reads the `data` of `output_audio_data` (protocol 5.1.3): one piece of a sentence's speech, in the format that
 * the task requested. `null` if it is unreadable; bytes that are not base64 give a `null` payload, since the
 * message may still mark the end of the sentence.
 */
function readOutputAudio(data: unknown): OutputAudioMessage | null {
	if (!isObject(data)) return null;
	const encoded = field(data, 'data') ?? '';
	return {
		type: 'output-audio',
		transcriptionId: normaliseId(field(data, 'transcription_id')) ?? '~unnamed',
		// The part id is a number in texts, a string in audio (protocol 4.6).
		partId: normaliseId(field(data, 'translation_part_id')) ?? '0',
		language: languageOf(field(data, 'language')),
		last: field(data, 'last_chunk') === true,
		payload: typeof encoded === 'string' ? decodeBase64(encoded) : null,
	};
}

/** An object with more languages than the service supports is not a queue level. */
const MAX_LANGUAGES = 128;
const CODE = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,2}$/;

/**
 * Reads the object that arrives about once a second on the data channel without an envelope, with one entry per
 * language, possibly none (protocol 4.6). `null` = another object.
 */
export function readBareQueueLevel(message: JsonObject): ReadonlyMap<string, QueueLevel> | null {
	const names = Object.keys(message);
	if (names.length > MAX_LANGUAGES || !names.every((name) => CODE.test(name.toLowerCase()))) return null;
	if (!names.every((name) => isObject(message[name]))) return null;
	return levelsOf(message, names);
}

/** Reads `stats` of `tts_buffer_stats`: the same entries beside a `timestamp` (protocol 4.6). */
export function readBufferStats(data: unknown): ReadonlyMap<string, QueueLevel> | null {
	const stats = field(data, 'stats');
	if (!isObject(stats)) return null;
	const names = Object.keys(stats).slice(0, MAX_LANGUAGES);
	return levelsOf(
		stats,
		names.filter((name) => CODE.test(name.toLowerCase())),
	);
}

function levelsOf(source: JsonObject, names: readonly string[]): ReadonlyMap<string, QueueLevel> {
	const levels = new Map<string, QueueLevel>();
	for (const name of names) {
		const currentMs = amount(field(source[name], 'current_queue_level_ms'));
		if (currentMs === null) continue;
		const maxMs = amount(field(source[name], 'max_queue_level_ms'));
		levels.set(name.toLowerCase(), { currentMs, maxMs });
	}
	return levels;
}

function amount(value: unknown): number | null {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

type Shape = Pick<TranscriptMessage, 'kind' | 'final'>;

/** The four transcription messages by name (protocol 4.6). */
export const TRANSCRIPT_SHAPES: ReadonlyMap<string, Shape> = new Map([
	['partial_transcription', { kind: 'source', final: false }],
	['validated_transcription', { kind: 'source', final: true }],
	['partial_translated_transcription', { kind: 'translation', final: false }],
	['translated_transcription', { kind: 'translation', final: true }],
]);

/** Older services append the part to the id (protocol 4.6). */
const PART_SUFFIX = /^(.{1,120})_part_(\d{1,9})$/;

/** Reads the payload of a transcription message; `null` if it contains no text. */
export function readTranscript(shape: Shape, data: unknown): TranscriptMessage | null {
	const inner = field(data, 'transcription');
	const body = isObject(inner) ? inner : data;
	const segments = segmentsOf(body);
	const text = textOf(body, segments);
	if (text === null) return null;
	const startS = seconds(segments.map((segment) => field(segment, 'start')).find(isTime));
	const endS = seconds(segments.map((segment) => field(segment, 'end')).findLast(isTime));
	const language = languageOf(field(body, 'language'));
	const id = normaliseId(field(body, 'transcription_id')) ?? syntheticId(shape, text, startS);
	const part = normaliseId(field(body, 'translation_part_id') ?? field(data, 'translation_part_id'));
	return { type: 'transcript', ...shape, ...identify(shape, id, part), language, text, startS, endS };
}

function identify(
	shape: Shape,
	id: string,
	part: string | null,
): Pick<TranscriptMessage, 'transcriptionId' | 'partId'> {
	if (shape.kind === 'source') return { transcriptionId: id, partId: '0' };
	const [, stem, number] = PART_SUFFIX.exec(id) ?? [];
	if (part === null && stem !== undefined && number !== undefined)
		return { transcriptionId: stem, partId: number };
	return { transcriptionId: id, partId: part ?? '0' };
}

/**
 * An id for a segment without one, stable as far as possible: from its start time, otherwise for a final from
 * its text; open texts with neither replace each other.
 */
function syntheticId(shape: Shape, text: string, startS: number | null): string {
	if (startS !== null) return `~start-${Math.round(startS * 1000)}`;
	return shape.final ? `~text-${hashOf(text)}` : '~open';
}

function segmentsOf(body: unknown): readonly unknown[] {
	const segments = field(body, 'segments');
	return Array.isArray(segments) ? segments : [];
}

function textOf(body: unknown, segments: readonly unknown[]): string | null {
	const text = field(body, 'text');
	if (typeof text === 'string') return cut(text, MAX_TEXT_LENGTH);
	const pieces = segments
		.map((segment) => field(segment, 'text'))
		.filter((piece) => typeof piece === 'string');
	return pieces.length > 0 ? cut(pieces.join(' '), MAX_TEXT_LENGTH) : null;
}

/** `und` (undetermined) for an invalid code, so that keys and `lang` attributes remain valid. */
function languageOf(value: unknown): string {
	const code = typeof value === 'string' ? value.trim().toLowerCase() : '';
	return LANGUAGE.test(code) ? code : 'und';
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function seconds(value: number | undefined): number | null {
	return value === undefined ? null : Math.max(0, value);
}
