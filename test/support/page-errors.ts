/**
 * Setup of tests in a browser. Vitest only prints an error of the page that comes without an error object, as of a
 * ResizeObserver whose callback keeps changing what it observes. Here it fails the run, as any other error does. Not a
 * listener: Vitest leaves all errors to a test that listens for them.
 */
window.onerror = (message, _source, _line, _column, error) => {
	if (!error) void Promise.reject(new Error(String(message)));
};
