import { err, ok, type Result } from '#shared/lib/result.ts';
import { checkTask } from './check-task.ts';
import { ClientMessage } from './client-message.ts';
import { decodeUtf8, field, isObject, type JsonObject, parseJson, plainText } from './json.ts';
import { TASK_RANGE } from './limits.ts';
import { ALL_LANGUAGES, COMMAND, ERROR_CODE } from './vocabulary.ts';

const number: Edit = (value) =>
	typeof value === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : absentIfNull(value);

const absentIfNull: Edit = (value) => value ?? undefined;

const streamType: Edit = (value) => (value === 'livekit' ? 'webrtc' : value);

const STREAM: Edits = { type: streamType, format: absentIfNull };

const SOURCE: Edits = { ...STREAM, sample_rate: number, channels: number };

const SPEECH: Edits = {
	voice_id: absentIfNull,
	voice_cloning: absentIfNull,
	voice_timbre_detection: absentIfNull,
};

const TRANSLATION: Edits = {
	translate_partial_transcriptions: absentIfNull,
	allowed_source_languages: absentIfNull,
	speech_generation: (value) => absentIfNull(editObject(value, SPEECH)),
};

const QUEUE: Edits = {
	desired_queue_level_ms: number,
	max_queue_level_ms: number,
	auto_tempo: absentIfNull,
	min_tempo: absentIfNull,
	max_tempo: absentIfNull,
};

const PIPELINE: Edits = {
	transcription: (value) =>
		editObject(value, {
			detectable_languages: absentIfNull,
			segment_confirmation_silence_threshold: absentIfNull,
			sentence_splitter: absentIfNull,
		}),
	translations: (value) =>
		Array.isArray(value) ? value.map((entry: unknown) => editObject(entry, TRANSLATION)) : (value ?? []),
	translation_queue_configs: (value) =>
		isObject(value)
			? Object.fromEntries(
					Object.entries(value)
						.filter(([, config]) => config !== null)
						.map(([name, config]) => [name, editObject(config, QUEUE)]),
				)
			: absentIfNull(value),
	allowed_message_types: absentIfNull,
};

/** Why a command is refused, as an `error` message would say it (protocol 4.6). */
export interface CommandFault {
	/** `VALIDATION_ERROR` for a known command with wrong data, otherwise `BAD_REQUEST`. */
	readonly code: string;
	readonly text: string;
	/** Path inside `data`, or empty. */
	readonly field: string;
}

const COMMANDS: ReadonlySet<string> = new Set(Object.values(COMMAND));

/**
 * Reads a command as the service would: core rows are checked with their ranges (protocol 4.5),
 * legacy and unknown ones pass through untouched. Never throws. `input_audio_data` is not a command.
 */
export function decodeClientMessage(input: string | Uint8Array): Result<ClientMessage, CommandFault> {
	const text = typeof input === 'string' ? input : decodeUtf8(input);
	if (text === null) return refuse('The message is not UTF-8');
	const json = parseJson(text);
	if (!json.ok) return refuse(`The message cannot be read: ${json.error}`);
	const name = field(json.value, 'message_type');
	if (typeof name !== 'string') return refuse('message_type is missing', 'message_type');
	if (!COMMANDS.has(name)) return refuse(`Unknown message_type ${plainText(name, 64)}`, 'message_type');
	const data = dataOf(field(json.value, 'data'));
	if (data === null) return invalid('data', 'Input should be an object');
	return check(name, tidy(name, data));
}

function dataOf(data: unknown): JsonObject | null {
	if (data === undefined || data === null) return {};
	if (typeof data !== 'string') return isObject(data) ? data : null;
	const json = parseJson(data);
	return json.ok && isObject(json.value) ? json.value : null;
}

/** Fills in what a client may leave out and drops nulls of optional core rows. */
function tidy(name: string, data: JsonObject): JsonObject {
	switch (name) {
		case COMMAND.setTask:
			return tidyTask(data);
		case COMMAND.flushTask:
		case COMMAND.interruptTask: {
			const languages = data['languages'] ?? [ALL_LANGUAGES];
			return withoutNulls({
				...data,
				languages: typeof languages === 'string' ? [languages] : languages,
			});
		}
		case COMMAND.ttsTask:
			return { ...data, translate_text: data['translate_text'] ?? false };
		default:
			return withoutNulls(data);
	}
}

function withoutNulls(data: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
}

function check(name: string, data: JsonObject): Result<ClientMessage, CommandFault> {
	const parsed = ClientMessage.safeParse({ message_type: name, data });
	if (!parsed.success) {
		const issue = parsed.error.issues[0];
		const path = (issue?.path ?? []).map(String);
		return invalid((path[0] === 'data' ? path.slice(1) : path).join('.'), issue?.message ?? 'Invalid input');
	}
	const fault = rangeFault(parsed.data);
	return fault === null ? ok(parsed.data) : err(fault);
}

function rangeFault(message: ClientMessage): CommandFault | null {
	switch (message.message_type) {
		case 'set_task': {
			const checked = checkTask(message.data);
			return checked.ok ? null : { code: ERROR_CODE.validation, ...checked.error };
		}
		case 'end_task': {
			const { min, max } = TASK_RANGE.eosTimeoutS;
			const timeout = message.data.eos_timeout;
			if (timeout === undefined || (timeout >= min && timeout <= max)) return null;
			return fault('eos_timeout', `Must be between ${min} and ${max}`);
		}
		case 'tts_task': {
			const { length } = message.data.text;
			if (length > 0 && length <= TASK_RANGE.ttsText) return null;
			return fault('text', `Must have 1 to ${TASK_RANGE.ttsText} characters`);
		}
		default:
			return null;
	}
}

function fault(path: string, text: string): CommandFault {
	return { code: ERROR_CODE.validation, text, field: path };
}

function invalid(path: string, text: string): Result<never, CommandFault> {
	return err(fault(path, text));
}

function refuse(text: string, path = ''): Result<never, CommandFault> {
	return err({ code: ERROR_CODE.badRequest, text, field: path });
}

/**
 * A task as clients of several generations write it, brought to the form of `Task`: nulls of optional
 * core rows are left out, numbers written as text become numbers, the old stream type `livekit` becomes
 * `webrtc`. Whatever else is in it stays, legacy rows included (protocol 4.5).
 */
function tidyTask(task: JsonObject): JsonObject {
	return edit(task, {
		input_stream: (stream) => editObject(stream, { source: (source) => editObject(source, SOURCE) }),
		output_stream: (stream) => editObject(stream, { target: (target) => editObject(target, STREAM) }),
		pipeline: (pipeline) => editObject(pipeline, PIPELINE),
	});
}

type Edit = (value: unknown) => unknown;

type Edits = Readonly<Record<string, Edit>>;

function editObject(value: unknown, edits: Edits): unknown {
	return isObject(value) ? edit(value, edits) : value;
}

function edit(value: JsonObject, edits: Edits): JsonObject {
	const entries: [string, unknown][] = [];
	for (const [name, old] of Object.entries(value)) {
		const next = Object.hasOwn(edits, name) ? edits[name]?.(old) : old;
		if (next !== undefined) entries.push([name, next]);
	}
	return Object.fromEntries(entries);
}
