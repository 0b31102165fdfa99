import { err, ok, type Result } from '#shared/lib/result.ts';
import { ACCEPTED_SOURCES, ACCEPTED_TARGETS, baseOf } from './languages.ts';
import { TASK_RANGE } from './limits.ts';
import type { Task } from './task.ts';

export interface TaskFault {
	/** Path inside the task, such as `pipeline.translations.0.target_language`. */
	readonly field: string;
	readonly text: string;
}

/**
 * Checks what the live service checks beyond the shape of a task (protocol 4.5): languages, ranges, matching ends.
 * Returns the first fault, in the task's own order.
 */
export function checkTask(task: Task): Result<void, TaskFault> {
	const fault = streamFault(task) ?? transcriptionFault(task) ?? translationFault(task) ?? queueFault(task);
	return fault === null ? ok() : err(fault);
}

function streamFault({ input_stream, output_stream }: Task): TaskFault | null {
	const { source } = input_stream;
	if (output_stream !== null && output_stream.target.type !== source.type)
		return fault('output_stream.target.type', `Target type must equal the source type, ${source.type}`);
	if (source.type === 'webrtc') return null;
	const path = 'input_stream.source';
	if (source.format === undefined) return fault(`${path}.format`, 'Field required');
	if (source.sample_rate === undefined) return fault(`${path}.sample_rate`, 'Field required');
	const { min, max } = TASK_RANGE.sampleRateHz;
	if (!isWithin(source.sample_rate, min, max))
		return fault(`${path}.sample_rate`, `Must be between ${min} and ${max}`);
	if (source.channels === undefined) return fault(`${path}.channels`, 'Field required');
	return [1, 2].includes(source.channels) ? null : fault(`${path}.channels`, 'Must be 1 or 2');
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
		: fault(`${path}.segment_confirmation_silence_threshold`, `Must be between ${min} and ${max}`);
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
			return fault(`${path}.desired_queue_level_ms`, `Must be at least ${TASK_RANGE.desiredQueueMs.min}`);
		if (!isWithin(max, TASK_RANGE.maxQueueMs.min, Number.MAX_VALUE))
			return fault(`${path}.max_queue_level_ms`, `Must be at least ${TASK_RANGE.maxQueueMs.min}`);
		if (max <= desired)
			return fault(`${path}.max_queue_level_ms`, 'Must be greater than desired_queue_level_ms');
	}
	return null;
}

/** A source may carry a region, which the service strips (protocol 6.3). */
function isSource(code: string): boolean {
	return ACCEPTED_SOURCES.has(baseOf(code));
}

function isWithin(value: number, min: number, max: number): boolean {
	return Number.isFinite(value) && value >= min && value <= max;
}

function fault(field: string, text: string): TaskFault {
	return { field, text };
}

function notOneOf(field: string, value: string, permitted: ReadonlySet<string>): TaskFault {
	const list = [...permitted].map((code) => `'${code}'`).join(', ');
	return fault(field, `Input should be one of ${list}; was '${value.slice(0, 40)}'`);
}
