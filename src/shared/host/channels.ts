/** The two channels between preload and main: a request with its answer, and an announcement. */
export const ASK = 'dragoman:ask';
export const TELL = 'dragoman:tell';
