/** Audio of the speech-to-speech socket (protocol 5.1.2, 5.1.3). */
export const SOCKET_AUDIO = { sampleRateHz: 24_000, chunkMs: 320, outputChunkMs: 200 } as const;

/**
 * Ours: what a file is sent with to the interpreter on this computer. It is heard as fast as this computer can, without
 * unfinished texts, and the interpreter tells with `message` how much of it was heard, `ms` from the start of the socket.
 */
export const AS_HEARD = {
	query: { pace: 'heard' },
	message: 'sound_heard',
	/** No more than this is sent and not heard yet, ms: less than what a socket may hold before it drops sound. */
	aheadMs: 1600,
} as const;
