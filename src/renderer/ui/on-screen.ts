/**
 * Whether this window can be seen. In a browser, this is the page's visibility. In Electron, that remains
 * "visible" even when minimised or hidden in the tray, because pages are not throttled (`pagePreferences`), so
 * the shell reports it.
 */
let shellShows = true;
const shell = new EventTarget();

export function isOnScreen(): boolean {
	return shellShows && !document.hidden;
}

/** Takes the shell's report about the window. */
export function shellSays(shows: boolean): void {
	if (shows === shellShows) return;
	shellShows = shows;
	shell.dispatchEvent(new Event('change'));
}

/** Calls `heard` when the visibility changes. Returns a function that stops listening. */
export function listenOnScreen(heard: () => void): () => void {
	shell.addEventListener('change', heard);
	document.addEventListener('visibilitychange', heard);
	return () => {
		shell.removeEventListener('change', heard);
		document.removeEventListener('visibilitychange', heard);
	};
}
