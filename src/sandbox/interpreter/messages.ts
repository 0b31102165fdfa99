import { AS_HEARD } from '#shared/protocol/limits.ts';
import { SERVER_MESSAGE } from '#shared/protocol/vocabulary.ts';

/** Builds messages of the service as objects to be sent as JSON (protocol 4.4, 4.6). */

export type TaskStatus = 'running' | 'paused' | 'unknown';

/** A text with its position in the stream. */
export interface Spoken {
	readonly transcriptionId: string;
	readonly language: string;
	readonly text: string;
	/** Seconds from the start of the stream. */
	readonly startS: number;
	readonly endS: number;
	/** Unix seconds of the start. */
	readonly startedAtS: number;
}

export function taskStatus(
	command: string,
	event: string,
	status: TaskStatus,
	transcriptionId?: string,
): object {
	const id = transcriptionId === undefined ? {} : { transcription_id: transcriptionId };
	return { message_type: SERVER_MESSAGE.taskStatus, data: { command, event, task_status: status, ...id } };
}

export function currentTask(task: object, status: TaskStatus): object {
	return { message_type: SERVER_MESSAGE.currentTask, data: { ...task, task_status: status } };
}

/** One of the four text messages. `translation`: true for the two of a translation, which have a part id. */
export function transcription(
	messageType: string,
	spoken: Spoken,
	options: { translation: boolean },
): object {
	const { text, startS, endS, startedAtS } = spoken;
	const segment = {
		text,
		start: round(startS),
		end: round(endS),
		start_timestamp: round(startedAtS),
		end_timestamp: round(startedAtS + endS - startS),
		words: words(spoken),
	};
	return {
		message_type: messageType,
		data: {
			transcription: {
				transcription_id: spoken.transcriptionId,
				...(options.translation ? { translation_part_id: 0 } : {}),
				language: spoken.language,
				text,
				segments: text === '' ? [] : [segment],
			},
		},
	};
}

/** Words share the time evenly; a text without gaps between words counts as one word (protocol 4.6). */
function words({ text, startS, endS }: Spoken): object[] {
	const all = text.split(/\s+/).filter((word) => word !== '');
	const each = (endS - startS) / Math.max(1, all.length);
	return all.map((word, index) => ({
		word,
		start: round(startS + each * index),
		end: round(startS + each * (index + 1)),
	}));
}

/** Reports how much of a file was processed (`AS_HEARD`). */
export function soundHeard(ms: number): object {
	return { message_type: AS_HEARD.message, data: { ms } };
}

export function warning(code: string, message: string): object {
	return { message_type: SERVER_MESSAGE.warning, data: { code, message } };
}

export function failure(code: string, desc: string, param: string | null = null): object {
	return { message_type: SERVER_MESSAGE.error, data: { code, desc, param } };
}

/** In the format of a Python validator: a list of entries with `loc`, `msg` and `type` (protocol 4.6). */
export function validationText(field: string, text: string): string {
	const parts = field.split('.').filter((part) => part !== '');
	const loc = parts.map((part) => (/^\d+$/.test(part) ? part : `'${part}'`)).join(', ');
	const tuple = parts.length === 1 ? `(${loc},)` : `(${loc})`;
	return `1 validation error for TaskMessage: [{'type': 'value_error', 'loc': ${tuple}, 'msg': ${JSON.stringify(text)}}]`;
}

export function endOfStream(generation: 'current' | 'older'): object {
	const name = generation === 'current' ? SERVER_MESSAGE.endOfStream : SERVER_MESSAGE.eos;
	return { message_type: name, data: {} };
}

/** The bare object of the data channel, without an envelope (protocol 4.6). */
export function queueLevels(levels: ReadonlyMap<string, number>, maxMs: number): Record<string, object> {
	const entry = (ms: number) => ({ current_queue_level_ms: Math.round(ms), max_queue_level_ms: maxMs });
	return Object.fromEntries([...levels].map(([language, ms]) => [language, entry(ms)]));
}

export function bufferStats(levels: ReadonlyMap<string, number>, maxMs: number, nowS: number): object {
	const stats = { ...queueLevels(levels, maxMs), timestamp: round(nowS) };
	return { message_type: SERVER_MESSAGE.ttsBufferStats, data: { stats } };
}

/** Durations of the stages in seconds since the segment's end (protocol 4.6). */
export function timings(transcriptionId: string, stages: Readonly<Record<string, number>>): object {
	return {
		message_type: SERVER_MESSAGE.pipelineTimings,
		data: { transcription_id: transcriptionId, timings: stages },
	};
}

export function speechText(spoken: Spoken): object {
	const { transcriptionId, language, text } = spoken;
	const body = { transcription_id: transcriptionId, translation_part_id: 0, language, text };
	return { message_type: SERVER_MESSAGE.ttsText, data: { transcription: body } };
}

function round(seconds: number): number {
	return Math.round(seconds * 1000) / 1000;
}
