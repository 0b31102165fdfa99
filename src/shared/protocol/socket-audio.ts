/** Audio of the speech-to-speech socket (protocol 5.1.2, 5.1.3). */
export const SOCKET_AUDIO = { sampleRateHz: 24_000, chunkMs: 320, outputChunkMs: 200 } as const;
