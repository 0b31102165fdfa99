import { isObject, type JsonObject } from './json.ts';

/**
 * A task as clients of several generations write it, brought to the form of `Task`: nulls of optional
 * core rows are left out, numbers written as text become numbers, the old stream type `livekit` becomes
 * `webrtc`. Whatever else is in it stays, legacy rows included (protocol 4.5).
 */
export function tidyTask(task: JsonObject): JsonObject {
	return edit(task, {
		input_stream: (stream) => editObject(stream, { source: (source) => editObject(source, SOURCE) }),
		output_stream: (stream) => editObject(stream, { target: (target) => editObject(target, STREAM) }),
		pipeline: (pipeline) => editObject(pipeline, PIPELINE),
	});
}

type Edit = (value: unknown) => unknown;
type Edits = Readonly<Record<string, Edit>>;

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
