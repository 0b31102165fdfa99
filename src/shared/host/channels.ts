/** The two channels between preload and main: a request with its answer, and an announcement. */
export const ASK = 'dragoman:ask';
export const TELL = 'dragoman:tell';
/**
 * Main sends the window the ports of a stream; the preload passes them on by `window.postMessage` under the same name.
 */
export const PORTS = 'dragoman:ports';
