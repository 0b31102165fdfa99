/**
 * Messages of the service on the data channel or the speech-to-speech socket, in our own types. The wire is decoded
 * once, here; no other module reads wire fields.
 */
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
	/** Answers `AS_HEARD`. */
	| { readonly type: 'sound-heard'; readonly ms: number }
	| { readonly type: 'warning'; readonly code: string; readonly text: string }
	| ServiceErrorMessage
	/** Well-formed but of a type we do not know, or a known one we cannot read: counted, never fatal. */
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
	/** Language codes of the stored task's targets, as far as readable. */
	readonly targets: readonly string[];
}

/** One of the four transcription messages (protocol 4.6). */
export interface TranscriptMessage {
	readonly type: 'transcript';
	readonly kind: 'source' | 'translation';
	readonly final: boolean;
	/** Same on the source, its translations and their audio. Synthetic when the wire had none. */
	readonly transcriptionId: string;
	/** Normalised to string; `0` when absent and for source messages. */
	readonly partId: string;
	/** As sent, lower case. */
	readonly language: string;
	/** Whole text of the segment so far; replaces, never appends. */
	readonly text: string;
	/** Seconds from the stream's start; null when the wire had no segments. */
	readonly startS: number | null;
	readonly endS: number | null;
}

/** A piece of translated speech, sockets only (protocol 5.1.3). */
export interface OutputAudioMessage {
	readonly type: 'output-audio';
	/** As on the texts of the same sentence. */
	readonly transcriptionId: string;
	readonly partId: string;
	/** As sent, lower case; `und` if it was no language code. */
	readonly language: string;
	/** Ends the sentence's burst; its payload may be empty. */
	readonly last: boolean;
	/** Bytes in the format the task asked for; null when they were not base64. */
	readonly payload: Uint8Array | null;
}

export interface QueueLevel {
	/** Translated speech the service has not spoken yet, ms. */
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
