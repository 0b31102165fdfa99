/**
 * Limits of conversations and of the service's answers, with their sources, for the client and the sandbox. The
 * limits of voices and glossaries are in `cloned-voice.ts` and `glossary.ts`.
 */

/** Rate limits of commands (protocol 4.4); `set_task` and `get_task` count together. */
export const COMMAND_LIMIT = {
	taskPeriodMs: 2000,
	pauseAndEndPeriodMs: 3000,
	/** At most `count` in any window of this length, ms. */
	ttsTasks: { count: 60, windowMs: 60_000 },
	sockets: { count: 20, windowMs: 60_000 },
} as const;

/** Times of a task's start, counted from `set_task` (protocol 4.4). */
export const READINESS = {
	/** Delay before the first `get_task` and between further ones: just over the rate limit. */
	pollMs: 2100,
	/** Consecutive `NOT_FOUND` answers after which `set_task` is sent again. */
	notFoundBeforeRepeat: 2,
	setTasksInAll: 3,
	tellUserMs: 10_000,
	giveUpMs: 20_000,
	/** The same for the interpreter on this computer: a slow one takes half a minute to load its models. */
	giveUpHereMs: 60_000,
} as const;

/** Allowed values in a task (protocol 4.5). */
export const TASK_RANGE = {
	silenceThresholdS: { min: 0.3, max: 2, default: 0.7 },
	desiredQueueMs: { min: 2000, default: 5000 },
	maxQueueMs: { min: 4000, default: 20_000 },
	sampleRateHz: { min: 16_000, max: 48_000, default: 24_000 },
	eosTimeoutS: { min: 1, max: 30 },
	/** Characters of a `tts_task`. */
	ttsText: 2048,
} as const;

/** If no input audio arrives for this long, the service ends the stream with `SERVICE_TIMEOUT` (protocol 4.6). */
export const INPUT_TIMEOUT_MS = 10_000;

/** After Stop, the tail ends after `idleMs` without progress or `inAllMs` in total (protocol 9.2). */
export const TAIL = { idleMs: 6000, inAllMs: 30_000 } as const;

/** The same for a file on this computer, which may be slow. */
export const TAIL_HERE = { idleMs: 60_000, inAllMs: 300_000 } as const;

/** Largest data packet we read, bytes: reliable packets of a room are never larger (faults 65). */
export const MAX_PACKET_BYTES = 65_536;

/** Longest caption text we store, UTF-16 units (faults 63). */
export const MAX_TEXT_LENGTH = 65_536;

/** Longest readable text of an error or warning, UTF-16 units (faults 4). */
export const MAX_DETAIL_LENGTH = 300;

/** Audio of the speech-to-speech socket (protocol 5.1.2, 5.1.3). */
export const SOCKET_AUDIO = { sampleRateHz: 24_000, chunkMs: 320, outputChunkMs: 200 } as const;

/**
 * Our own message: sent with a file to the interpreter on this computer, which then recognises as fast as it
 * can, without partial texts, and reports with `message` how much of the file it has processed, `ms` from the
 * start of the socket.
 */
export const AS_HEARD = {
	query: { pace: 'heard' },
	message: 'sound_heard',
	/** At most this much may be sent but not processed, ms: a socket buffers more before it drops audio. */
	aheadMs: 1600,
} as const;

/** Untranslated speech that this computer's interpreter gets when it takes over, ms. */
export const UNSENT_MS = 30_000;
