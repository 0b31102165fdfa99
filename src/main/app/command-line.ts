export const help = `Dragoman, a desktop interpreter.

  --api-url URL         REST base of the service (DRAGOMAN_API_URL)
  --s2s-url, --stt-url, --tts-url URL
                        its socket addresses
  --service NAME        service, local or sandbox (DRAGOMAN_SERVICE)
  --user-data-dir DIR   settings, ledger and logs (DRAGOMAN_USER_DATA)
  --models DIR          models of the local interpreter (DRAGOMAN_MODELS)
  --safe-mode           without caption window, graphics acceleration, recording and
                        prepared sessions; your settings are set aside for this run
  --smoke               checks what the app needs from Electron, writes smoke.json beside the
                        settings, and ends
  --log-level LEVEL     error, warn, info or debug (DRAGOMAN_LOG_LEVEL)
  --help, --version

The key comes from the app's own page or from DRAGOMAN_API_KEY (a token for voices from
DRAGOMAN_VOICE_TOKEN), never from an option: command lines can be read by others.
`;

/** The text to print before exiting, or null to open the app. */
export function answerAtOnce(argv: readonly string[], version: string): string | null {
	if (argv.includes('--help')) return help;
	return argv.includes('--version') ? `${version}\n` : null;
}

/**
 * Switches that the packaged program accepts: its own options, and those that change how its window looks or
 * is drawn. Any other could let another program in or remove a protection (debugging ports, `no-sandbox`,
 * `host-resolver-rules`, proxies, features, ignored certificate errors), and whoever can write a shortcut or
 * a `.desktop` file could add it. A fuse refuses Node's own switches (`--inspect`).
 */
const ALLOWED: ReadonlySet<string> = new Set([
	...['help', 'version', 'api-url', 's2s-url', 'stt-url', 'tts-url', 'service', 'log-level', 'models'],
	...['safe-mode', 'smoke', 'started-anew'],
	...['lang', 'ozone-platform', 'ozone-platform-hint', 'enable-wayland-ime', 'wayland-text-input-version'],
	...['force-device-scale-factor', 'high-dpi-support', 'force-color-profile', 'gtk-version'],
	...['force-prefers-reduced-motion', 'force-high-contrast', 'force-renderer-accessibility'],
	...['disable-gpu', 'disable-gpu-compositing', 'disable-smooth-scrolling'],
]);

/** These take effect before our first line runs, so removing them is too late: the program restarts without them. */
const IN_FORCE =
	/sandbox|zygote|single-process|in-process|js-flags|cmd-prefix|launcher|subprocess-path|^type$/;

/** `user-data-dir` is an option of ours, read from the arguments; Chromium must not treat it as its own. */
const OURS_ALONE = 'user-data-dir';

/** The name of a switch as Chromium reads it, or null when the argument is not one. */
function switchOf(argument: string, isWindows: boolean): string | null {
	const name = (isWindows ? /^(?:--?|\/)([^=]+)/ : /^--?([^=]+)/).exec(argument)?.[1];
	return name === undefined ? null : isWindows ? name.toLowerCase() : name;
}

/** Separates the arguments to keep from the switches the program refuses. `--` ends the switches. */
export function sortArguments(argv: readonly string[], platform: NodeJS.Platform) {
	const end = argv.indexOf('--');
	const refused: string[] = [];
	const kept = argv.filter((argument, index) => {
		const name = end >= 0 && index >= end ? null : switchOf(argument, platform === 'win32');
		if (name === null || ALLOWED.has(name) || name === OURS_ALONE) return true;
		refused.push(name);
		return false;
	});
	return { kept, refused };
}

/** Marks a process that was restarted without the refused switches. */
const ANEW = '--started-anew';

/**
 * Call before the app is ready. Unpackaged, every switch is allowed. `started anew`: the program has been
 * restarted, and this process must end. `cannot`: the restarted program has the same switches again, as an
 * AppImage does that adds `--no-sandbox` if the system allows no sandbox; restarting again would not help.
 */
export function refuseSwitches(
	electron: {
		readonly isPackaged: boolean;
		readonly commandLine: { removeSwitch(name: string): void };
		relaunch(options: { args: string[]; execPath?: string }): void;
	},
	{ argv, platform, env }: Pick<NodeJS.Process, 'argv' | 'platform' | 'env'>,
): 'goes on' | 'started anew' | 'cannot' {
	if (!electron.isPackaged) return 'goes on';
	const { kept, refused } = sortArguments(argv.slice(1), platform);
	for (const name of [...refused, OURS_ALONE]) electron.commandLine.removeSwitch(name);
	if (!refused.some((name) => IN_FORCE.test(name))) return 'goes on';
	if (kept.includes(ANEW)) return 'cannot';
	// An AppImage is unmounted when its first process ends, so the file itself is started.
	electron.relaunch({ args: [ANEW, ...kept], ...(env.APPIMAGE && { execPath: env.APPIMAGE }) });
	return 'started anew';
}
