/**
 * Switches of Chromium that would let another program into the window, or take its walls down. Whoever can write
 * a shortcut or a `.desktop` file could add them. Node's own (`--inspect`) are refused by a fuse.
 */
const REFUSED = [
	// Doors into the page.
	...['remote-debugging-port', 'remote-debugging-pipe', 'remote-debugging-address', 'remote-allow-origins'],
	...['load-extension', 'auto-open-devtools-for-tabs'],
	// Its walls.
	...['disable-web-security', 'allow-running-insecure-content', 'disable-site-isolation-trials'],
	...['unsafely-treat-insecure-origin-as-secure', 'enable-blink-features', 'js-flags'],
	// Whom it trusts, and what it hears and shows.
	...['ignore-certificate-errors', 'ignore-certificate-errors-spki-list', 'allow-insecure-localhost'],
	...['use-fake-ui-for-media-stream', 'auto-accept-camera-and-microphone-capture'],
	...['auto-select-desktop-capture-source', 'log-net-log', 'ssl-key-log-file'],
	// Other programs in place of its own.
	...['renderer-cmd-prefix', 'utility-cmd-prefix', 'gpu-launcher', 'browser-subprocess-path'],
] as const;

/** Before the app is ready. What is shipped takes none of them; for developers all hold. */
export function refuseSwitches(app: {
	readonly isPackaged: boolean;
	readonly commandLine: { removeSwitch(name: string): void };
}): void {
	if (!app.isPackaged) return;
	for (const name of REFUSED) app.commandLine.removeSwitch(name);
}
