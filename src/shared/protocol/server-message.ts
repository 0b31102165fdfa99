/** Messages of the service in our own types. Decoded here once; no other module reads raw fields. */
export type ServerMessage =
	| TaskStatusMessage
	| CurrentTaskMessage
	| TranscriptMessage
	| OutputAudioMessage
	| { readonly type: 'queue-level'; readonly levels: ReadonlyMap<string, QueueLevel> }
	| {
			readonly type: 'timings';
			readonly transcriptionId: string;
			readonly timingsS: ReadonlyMap<string, number>;
	  }
	| { readonly type: 'end-of-stream' }
	/** The answer to `AS_HEARD`. */
	| { readonly type: 'sound-heard'; readonly ms: number }
	| { readonly type: 'warning'; readonly code: string; readonly text: string }
	| ServiceErrorMessage
	/** Well-formed but of an unknown type, or a known type with unreadable data: counted, never fatal. */
	| { readonly type: 'unknown'; readonly name: string };

/** Acknowledgement of a command, current generation (protocol 4.4). */
export interface TaskStatusMessage {
	readonly type: 'task-status';
	/** `set_task`, `pause_task`, … */
	readonly command: string;
	/** `started`, `updated`, `unchanged`, `resumed`, `paused`, `interrupted`, `queued` or something new. */
	readonly event: string;
	readonly status: TaskState;
	readonly transcriptionId: string | null;
}
export type TaskState = 'running' | 'paused' | 'unknown';

/** Answer to `get_task`. */
export interface CurrentTaskMessage {
	readonly type: 'current-task';
	readonly status: TaskState;
	/** Language codes of the stored task's targets; unreadable ones are omitted. */
	readonly targets: readonly string[];
}

/** One of the four transcription messages (protocol 4.6). */
export interface TranscriptMessage {
	readonly type: 'transcript';
	readonly kind: 'source' | 'translation';
	readonly final: boolean;
	/** The same for the source, its translations and their audio. Synthetic if the service sent none. */
	readonly transcriptionId: string;
	/** Normalised to string; `0` when absent and for source messages. */
	readonly partId: string;
	/** As sent by the service, in lower case. */
	readonly language: string;
	/** The whole text of the segment so far: replaces the earlier text, never appends to it. */
	readonly text: string;
	/** Seconds from the stream's start; null if the message had no segments. */
	readonly startS: number | null;
	readonly endS: number | null;
}

/** A piece of translated speech, sockets only (protocol 5.1.3). */
export interface OutputAudioMessage {
	readonly type: 'output-audio';
	/** The same id as the texts of the sentence. */
	readonly transcriptionId: string;
	readonly partId: string;
	/** As sent by the service, in lower case; `und` for an invalid language code. */
	readonly language: string;
	/** Marks the end of the sentence's burst; the payload may be empty. */
	readonly last: boolean;
	/** Bytes in the format that the task requested; null if they were not base64. */
	readonly payload: Uint8Array | null;
}

export interface QueueLevel {
	/** Translated speech that has not been spoken yet, ms. */
	readonly currentMs: number;
	readonly maxMs: number | null;
}

export interface ServiceErrorMessage {
	readonly type: 'error';
	/** `NOT_FOUND`, `VALIDATION_ERROR`, `SERVICE_TIMEOUT`, `RATE_LIMIT_EXCEEDED`, … or something new. */
	readonly code: string;
	/** Readable text, at most 300 characters. */
	readonly text: string;
	/** Path of the refused field such as `pipeline.translations.0.target_language`, or empty. */
	readonly field: string;
}
