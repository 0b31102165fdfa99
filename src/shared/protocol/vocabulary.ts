/**
 * Names of the protocol, with their sources. Both the client and the sandbox use them.
 */

/** Message types that the service sends in speech to speech (protocol 4.4, 4.6, 5.1.3). */
export const SERVER_MESSAGE = {
	taskStatus: 'task_status',
	currentTask: 'current_task',
	partialTranscription: 'partial_transcription',
	validatedTranscription: 'validated_transcription',
	partialTranslatedTranscription: 'partial_translated_transcription',
	translatedTranscription: 'translated_transcription',
	outputAudioData: 'output_audio_data',
	pipelineTimings: 'pipeline_timings',
	ttsBufferStats: 'tts_buffer_stats',
	ttsText: 'tts_text',
	/** Current generation. */
	endOfStream: 'end_of_stream',
	/** Older generation. */
	eos: 'eos',
	warning: 'warning',
	error: 'error',
} as const;

/** All four text types; by default the server omits partial translations (protocol 4.5, 9.2). */
export const ALL_TRANSCRIPTS = [
	SERVER_MESSAGE.partialTranscription,
	SERVER_MESSAGE.validatedTranscription,
	SERVER_MESSAGE.translatedTranscription,
	SERVER_MESSAGE.partialTranslatedTranscription,
] as const;

/** The two text types that are sent once, when a sentence is final. */
export const FINAL_TRANSCRIPTS = [
	SERVER_MESSAGE.validatedTranscription,
	SERVER_MESSAGE.translatedTranscription,
] as const;

/** The messages that the service sends if a task has no `allowed_message_types` (protocol 4.5). */
export const DEFAULT_ALLOWED_MESSAGES = [
	SERVER_MESSAGE.translatedTranscription,
	SERVER_MESSAGE.partialTranscription,
	SERVER_MESSAGE.validatedTranscription,
] as const;

/** Commands the client sends (protocol 4.4); `input_audio_data` exists on sockets only. */
export const COMMAND = {
	setTask: 'set_task',
	getTask: 'get_task',
	pauseTask: 'pause_task',
	flushTask: 'flush_task',
	interruptTask: 'interrupt_task',
	ttsTask: 'tts_task',
	endTask: 'end_task',
	inputAudioData: 'input_audio_data',
} as const;

/**
 * Codes of `error` messages (protocol 4.6). The code of the rate limit is not published; this one is used by
 * TTS (protocol 10.11).
 */
export const ERROR_CODE = {
	notFound: 'NOT_FOUND',
	validation: 'VALIDATION_ERROR',
	serviceTimeout: 'SERVICE_TIMEOUT',
	rateLimit: 'RATE_LIMIT_EXCEEDED',
	badRequest: 'BAD_REQUEST',
	/** Used by the official clients when the code is missing. */
	unknown: 'UNKNOWN_ERROR',
} as const;

/** Codes of `warning` messages (protocol 4.6). */
export const WARNING_CODE = {
	tooFast: 'AUDIO_STREAM_TOO_FAST',
	tooSlow: 'AUDIO_STREAM_TOO_SLOW',
	stalled: 'AUDIO_STREAM_STALLED',
	voiceNotFound: 'VOICE_NOT_FOUND',
	/** Our own code: the interpreter on this computer is too slow for live speech. */
	tooSlowHere: 'COMPUTER_TOO_SLOW',
} as const;

/** `error_code` of REST refusals: only `noBalance` was observed, the rest is the sandbox's (protocol 3.6). */
export const REST_ERROR_CODE = {
	unauthorized: 100010,
	invalid: 100022,
	tooManyRequests: 100029,
	notFound: 100040,
	noBalance: 100050,
	sessionLimit: 100060,
} as const;

/** Entry in the `language` list of a drop command that means all languages (protocol 4.4). */
export const ALL_LANGUAGES = 'global';

/** Built-in voices (protocol 7.1). */
export const VOICE = { low: 'default_low', high: 'default_high' } as const;

/** Prefix of a voice track's name, followed by the target's code and possibly a suffix (protocol 4.3). */
export const VOICE_TRACK_PREFIX = 'translation_';
