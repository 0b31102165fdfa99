/**
 * Whether anybody can see this window. In a browser the page's visibility says so. In Electron that stays "visible", even
 * minimised or hidden in the tray, because pages are not throttled (`pagePreferences`): there the shell says it.
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

/** Returns how to stop listening. */
export function listenOnScreen(heard: () => void): () => void {
	shell.addEventListener('change', heard);
	document.addEventListener('visibilitychange', heard);
	return () => {
		shell.removeEventListener('change', heard);
		document.removeEventListener('visibilitychange', heard);
	};
}
