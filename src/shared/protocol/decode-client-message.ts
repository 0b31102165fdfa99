import { err, ok, type Result } from '#shared/lib/result.ts';
import { ClientMessage, type Task } from './client-message.ts';
import { decodeUtf8, field, isObject, type JsonObject, parseJson, plainText } from './json.ts';
import { ACCEPTED_SOURCES, ACCEPTED_TARGETS, baseOf } from './languages.ts';
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

/** Why a command is refused, with the fields of an `error` message (protocol 4.6). */
export interface CommandFault {
	/** `VALIDATION_ERROR` for a known command with wrong data, otherwise `BAD_REQUEST`. */
	readonly code: string;
	readonly text: string;
	/** Path inside `data`, or empty. */
	readonly field: string;
}

const COMMANDS: ReadonlySet<string> = new Set(Object.values(COMMAND));

/** Reads a command as the service would (protocol 4.5); unknown rows pass. Never throws. */
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

/** Adds fields that a client may omit, and removes nulls of optional core rows. */
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
 * Converts a task of any client generation to the form of `Task`: removes nulls of optional core rows, turns
 * numbers written as text into numbers, and renames the old stream type `livekit` to `webrtc`. All other fields
 * remain, legacy rows included (protocol 4.5).
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

export interface TaskFault {
	/** Path inside the task, such as `pipeline.translations.0.target_language`. */
	readonly field: string;
	readonly text: string;
}

/**
 * Checks what the live service checks beyond the shape of a task (protocol 4.5): languages, ranges, matching
 * input and output. Returns the first fault in the order of the task.
 */
export function checkTask(task: Task): Result<void, TaskFault> {
	const fault = streamFault(task) ?? transcriptionFault(task) ?? translationFault(task) ?? queueFault(task);
	return fault === null ? ok() : err(fault);
}

function streamFault({ input_stream, output_stream }: Task): TaskFault | null {
	const { source } = input_stream;
	if (output_stream !== null && output_stream.target.type !== source.type)
		return taskFault('output_stream.target.type', `Target type must equal the source type, ${source.type}`);
	if (source.type === 'webrtc') return null;
	const path = 'input_stream.source';
	if (source.format === undefined) return taskFault(`${path}.format`, 'Field required');
	if (source.sample_rate === undefined) return taskFault(`${path}.sample_rate`, 'Field required');
	const { min, max } = TASK_RANGE.sampleRateHz;
	if (!isWithin(source.sample_rate, min, max))
		return taskFault(`${path}.sample_rate`, `Must be between ${min} and ${max}`);
	if (source.channels === undefined) return taskFault(`${path}.channels`, 'Field required');
	return [1, 2].includes(source.channels) ? null : taskFault(`${path}.channels`, 'Must be 1 or 2');
}

function transcriptionFault({ pipeline: { transcription } }: Task): TaskFault | null {
	const path = 'pipeline.transcription';
	if (!isSource(transcription.source_language))
		return notOneOf(`${path}.source_language`, transcription.source_language, ACCEPTED_SOURCES);
	const detectable = transcription.detectable_languages ?? [];
	const wrong = detectable.findIndex((code) => !isSource(code));
	if (wrong !== -1)
		return notOneOf(`${path}.detectable_languages.${wrong}`, detectable[wrong] ?? '', ACCEPTED_SOURCES);
	const threshold = transcription.segment_confirmation_silence_threshold;
	const { min, max } = TASK_RANGE.silenceThresholdS;
	return threshold === undefined || isWithin(threshold, min, max)
		? null
		: taskFault(`${path}.segment_confirmation_silence_threshold`, `Must be between ${min} and ${max}`);
}

function translationFault({ pipeline: { translations } }: Task): TaskFault | null {
	for (const [index, translation] of translations.entries()) {
		const path = `pipeline.translations.${index}`;
		if (!ACCEPTED_TARGETS.has(translation.target_language))
			return notOneOf(`${path}.target_language`, translation.target_language, ACCEPTED_TARGETS);
		const allowed = translation.allowed_source_languages ?? [];
		const wrong = allowed.findIndex((code) => !isSource(code));
		if (wrong !== -1)
			return notOneOf(`${path}.allowed_source_languages.${wrong}`, allowed[wrong] ?? '', ACCEPTED_SOURCES);
	}
	return null;
}

function queueFault({ pipeline: { translation_queue_configs: configs } }: Task): TaskFault | null {
	for (const [name, config] of Object.entries(configs ?? {})) {
		const path = `pipeline.translation_queue_configs.${name}`;
		const desired = config.desired_queue_level_ms ?? TASK_RANGE.desiredQueueMs.default;
		const max = config.max_queue_level_ms ?? TASK_RANGE.maxQueueMs.default;
		if (!isWithin(desired, TASK_RANGE.desiredQueueMs.min, Number.MAX_VALUE))
			return taskFault(`${path}.desired_queue_level_ms`, `Must be at least ${TASK_RANGE.desiredQueueMs.min}`);
		if (!isWithin(max, TASK_RANGE.maxQueueMs.min, Number.MAX_VALUE))
			return taskFault(`${path}.max_queue_level_ms`, `Must be at least ${TASK_RANGE.maxQueueMs.min}`);
		if (max <= desired)
			return taskFault(`${path}.max_queue_level_ms`, 'Must be greater than desired_queue_level_ms');
	}
	return null;
}

/** A source may have a region, which the service removes (protocol 6.3). */
function isSource(code: string): boolean {
	return ACCEPTED_SOURCES.has(baseOf(code));
}

function isWithin(value: number, min: number, max: number): boolean {
	return Number.isFinite(value) && value >= min && value <= max;
}

function taskFault(field: string, text: string): TaskFault {
	return { field, text };
}

function notOneOf(field: string, value: string, permitted: ReadonlySet<string>): TaskFault {
	const list = [...permitted].map((code) => `'${code}'`).join(', ');
	return taskFault(field, `Input should be one of ${list}; was '${value.slice(0, 40)}'`);
}
