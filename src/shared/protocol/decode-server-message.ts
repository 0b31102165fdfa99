import { decodeBase64 } from '#shared/lib/base64.ts';
import { normaliseId } from './ids.ts';
import { decodeUtf8, field, isObject, type JsonFault, parseJson, plainText } from './json.ts';
import { MAX_PACKET_BYTES } from './limits.ts';
import { readBareQueueLevel, readBufferStats } from './queue-level.ts';
import type { OutputAudioMessage, ServerMessage, TaskState } from './server-message.ts';
import { readServiceError } from './service-error.ts';
import { AS_HEARD } from './socket-audio.ts';
import { readTranscript, TRANSCRIPT_SHAPES } from './transcript.ts';
import { SERVER_MESSAGE } from './vocabulary.ts';

const LANGUAGE = /^[a-z0-9_-]{1,35}$/;

/** Longest name of an unknown message we repeat, so that counters stay small. */
const MAX_NAME_LENGTH = 64;
const MAX_TARGETS = 64;
const MAX_TIMINGS = 64;

/**
 * What the service said, from a data packet, a text frame or JSON already parsed. Never throws, never
 * blocks for long: what cannot be read is `unknown` with a name to count it by. Names in brackets are
 * our own: `(not-json)`, `(not-utf8)`, `(too-large)`, `(too-deep)`, `(too-many)`, `(not-an-object)`, `(no-type)`.
 *
 * Bytes are one packet of at most 64 KiB; give longer frames of a socket as text, at most 1 MiB.
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
	// A message without `data` may carry its fields itself.
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

/** `null` = not a type we know, or its data is not what the type needs. */
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

/** Answers `AS_HEARD`; null when it says no length. */
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

/** A short lower-case word, or empty. */
function word(value: unknown): string {
	return typeof value === 'string' ? plainText(value, MAX_NAME_LENGTH).toLowerCase() : '';
}

/**
 * `data` of `output_audio_data` (protocol 5.1.3): one piece of a sentence's speech, in the format the
 * task asked for. `null` when it is not readable at all; bytes that are not base64 are a `null` payload,
 * since the end of the sentence it may mark still counts.
 */
function readOutputAudio(data: unknown): OutputAudioMessage | null {
	if (!isObject(data)) return null;
	const encoded = field(data, 'data') ?? '';
	const language = field(data, 'language');
	const code = typeof language === 'string' ? language.trim().toLowerCase() : '';
	return {
		type: 'output-audio',
		transcriptionId: normaliseId(field(data, 'transcription_id')) ?? '~unnamed',
		// A number in texts, a string in audio (protocol 4.6).
		partId: normaliseId(field(data, 'translation_part_id')) ?? '0',
		language: LANGUAGE.test(code) ? code : 'und',
		last: field(data, 'last_chunk') === true,
		payload: typeof encoded === 'string' ? decodeBase64(encoded) : null,
	};
}
