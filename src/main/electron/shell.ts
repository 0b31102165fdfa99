import { join } from 'node:path';
import {
	app,
	MessageChannelMain,
	type MessagePortMain,
	Notification,
	shell,
	type WebContents,
} from 'electron';
import { firstPictureOf } from '#main/app/first-picture.ts';
import { createReach } from '#main/app/guards.ts';
import { createMemoryGiver, createQuit, watchEnd } from '#main/app/lifecycle.ts';
import { createServices, followChanges } from '#main/app/services.ts';
import { type Words, wordsFor } from '#main/app/words.ts';
import { diagnosticsReport, REPORT_LINES } from '#main/diagnosis/diagnosis.ts';
import { createHost, type HostParts } from '#main/host.ts';
import { createLogFile } from '#main/log/log-file.ts';
import { createOverlays, type Overlays } from '#main/overlay/overlay.ts';
import { type SettingsStore, variablesSet } from '#main/settings/settings.ts';
import type { PortEnd, StreamEnds } from '#main/streaming/streams.ts';
import type { AppInfo } from '#shared/host/contract.ts';
import { PORTS } from '#shared/host/names.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import { atMost, type Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { abilitiesOf, usesWayland } from '#shared/overlay/placement.ts';
import { checkRestBase, SERVICE_PAGES } from '#shared/service-address.ts';
import { SAMPLE_ENDINGS } from '#shared/voices/media-type.ts';
import { createScreens, openCaptionsWindow } from './captions-window.ts';
import { askAboutHang, chooseFile, choosePlace, saveFile, showFailure } from './dialogs.ts';
import { createElectronIpc } from './electron-ipc.ts';
import type { Folders } from './folders.ts';
import {
	askForMicrophone,
	microphoneAccess,
	openMicrophonePrivacy,
	openSoundPrivacy,
} from './microphone-access.ts';
import { createBrowserOpener } from './open-in-browser.ts';
import { guardPage } from './page-guards.ts';
import { createDisplayLock, createWakeLock, watchPower } from './power.ts';
import { createPresence } from './presence.ts';
import { createOutbound } from './proxy.ts';
import { chooseStart, type StartParts } from './safe-mode.ts';
import { createSafeStorage } from './safe-storage.ts';
import { createSandboxProcess } from './sandbox-process.ts';
import { type MainWindow, openMainWindow } from './windows.ts';

/** Notifications that are shown and not yet answered: without a reference, one would lose its click. */
const shown = new Set<Notification>();

/** The same id as in the packages. */
const APP_ID = 'app.dragoman.desktop';

/** Longest wait for the keychain: a locked one never answers until the user unlocks it. */
const KEYCHAIN_LIMIT_MS = 3000;

/** Leftovers are cleared after this time even if no page ever becomes usable. */
const LEFTOVERS_WITHIN_MS = 5000;

/** After this time the window's process is starting, which takes far longer; main has nothing to do meanwhile. */
const WARM_AFTER_MS = 30;

/** The composition root of the app: builds the parts, wires them to each other, opens the window. */
export async function startShell(
	parts: StartParts & {
		readonly folders: Folders;
		/** Folder of the built parts: main, preload, renderer. */
		readonly built: string;
		/** `--smoke`: checks its shell once the window is up, and ends. */
		readonly smokes?: boolean;
	},
): Promise<void> {
	const { env, folders, clock, built, starts } = parts;
	// On Windows, use the id of the installed shortcut: otherwise notifications have no app, and the task bar shows two.
	if (process.platform === 'win32') app.setAppUserModelId(APP_ID);
	const start = await chooseStart(parts);
	const { safe, settings } = start;
	const log = createLogFile({
		folder: folders.logs,
		clock,
		level: () => settings.values().logLevel,
		secrets: () => services.account.secrets(),
	});
	const preload = join(built, 'preload', 'index.cjs');
	const info = () => appInfo(folders, env, safe);
	const words = () => wordsFor(settings.values().interfaceLanguage, app.getPreferredSystemLanguages());
	const ipc = createElectronIpc(() => services.account.secrets());
	let main: MainWindow | null = null;
	/** True once the window's first page is loaded. */
	let isLoaded = false;
	let cleared = false;
	const window = () => main?.window() ?? null;
	const focus = () => quit.begun || main?.focus();

	const outside = createBrowserOpener({ window, words: () => words().outside, log });
	const reach = createReach({ devtools: !app.isPackaged });
	const services = createServices({
		settings,
		env,
		clock,
		log,
		userData: folders.userData,
		modelsFolder: parts.options.models,
		version: app.getVersion(),
		outbound: createOutbound({ settings, env, clock, log }),
		secrets: createSafeStorage(join(folders.userData, 'secrets'), log),
		sandbox: createSandboxProcess({
			script: join(built, 'main', 'sandbox.js'),
			liveKitSecret: env.LIVEKIT_API_SECRET,
			models: () => services.models.folder(),
			clock,
			log,
		}),
		accountLeaves: (revision) => ipc.announce('account.leaving', { revision }),
		createPorts: (stream) => createStreamPorts(window()?.webContents ?? null, stream),
		chooseSample: () => chooseFile(window(), words().voice, SAMPLE_ENDINGS),
		chooseRecording: () => chooseFile(window(), words().recording, ['wav']),
		voiceFinished: (voice) => notifyOfVoice(voice, words().voice, focus),
		choosePlace: (name) => choosePlace(window(), name),
		openOutside: outside.open,
		isQuitting: () => quit.begun,
		granted: reach.grant,
	});
	const { account, keeper, admission, systemSound } = services;
	const overlays = createAppOverlays({ settings, env, preload, clock, log });
	const quit = createQuit({
		clock,
		log,
		announce(reason) {
			if (!isLoaded || !window()) return false;
			ipc.announce('app.closing', { reason });
			return true;
		},
		closeSessions: (deadlineMs) => keeper.closeAll(deadlineMs),
		async closeRest() {
			presence.close();
			overlays.close();
			memory.close();
			await services.close();
		},
		exit: start.exit,
	});
	const presence = createPresence({
		shell: info().shell,
		portalBus: join(built, 'main', 'portal-bus.js'),
		settings,
		words,
		logs: folders.logs,
		env,
		log,
		run: (command) => ipc.announce('command.run', { command }),
		main: () => main,
		end: (reason) => void quit.begin(reason),
		changed: (state) => ipc.announce('shell.changed', state),
		held: (down) => ipc.announce('talk.held', { down }),
		clock,
	});
	const keepAwake = createWakeLock();
	const memory = createMemoryGiver({ clock, log });
	const keepDisplayAwake = createDisplayLock();

	ipc.serve(
		createHost({
			...services,
			settings,
			overlay: overlays,
			log,
			sessions: admission.sessions,
			streams: admission.streams,
			shell: answersOfShell(),
		}),
	);
	const page = guardPage({
		renderer: join(built, 'renderer'),
		firstPicture: () =>
			firstPictureOf({
				settings: settings.values(),
				account: account.status(),
				locales: app.getPreferredSystemLanguages(),
				words: words(),
			}),
		mayUseLoopback,
		allowedHosts: () => settings.values().allowedHosts,
		listening: systemSound.listening,
		recordingAt: services.history.recordingAt,
		reach,
		outside,
		log,
	});
	followChanges({ services, settings, announce: ipc.announce, refresh: presence.refresh });
	// Reloads a page that was served while loopback was closed to it.
	account.listen(() => page.isOutdated() && clock.after(500, () => isLoaded && main?.reload()));
	watchSystem();

	log.info('started', { version: app.getVersion(), shell: info().shell, ...(safe && { safe }) });
	tellRefused(settings.refused(), log);
	// After the limit, opening continues in the background and then informs the window.
	await atMost(clock, KEYCHAIN_LIMIT_MS, account.open());
	presence.refresh();
	clock.after(LEFTOVERS_WITHIN_MS, clearLeftovers);
	main = openWindow();
	clock.after(WARM_AFTER_MS, page.warm);
	await main.opened;
	isLoaded = true;
	// The overlays close with the window whose captions they show.
	window()?.once('closed', overlays.close);
	if (!safe) overlays.begin();
	if (parts.smokes) await smokeAndEnd();
	else askForMicrophone();

	/** Clears what ended programs left, but after the window opens: the search for it would delay the window. */
	function clearLeftovers(): void {
		if (cleared) return;
		cleared = true;
		void keeper.sweep();
		void services.routing.clean();
		void services.systemSound.clean();
	}

	/** True if the service is on this computer, which is reached without encryption; nothing else ever is. */
	function mayUseLoopback(): boolean {
		if (account.status().service !== 'service') return true;
		const baseUrl = account.baseUrl();
		return baseUrl.startsWith('http:') && checkRestBase(baseUrl) === null;
	}

	async function smokeAndEnd(): Promise<void> {
		const opened = window();
		// Load this only on demand: no other start waits for it.
		const { smoke } = await import('./smoke/smoke.ts');
		if (opened)
			await smoke({
				env,
				clock,
				settings,
				window: opened,
				userData: folders.userData,
				shell: info().shell,
				state: () => presence.state(),
				keychain: () => account.status().key.keychain,
			});
		await quit.begin('quit');
	}

	function answersOfShell(): HostParts['shell'] {
		return {
			info,
			saveFile: (name, content) => saveFile(window(), name, content),
			showInFolder: (path) => shell.showItemInFolder(path),
			openMicrophonePrivacy,
			openServiceSite: (page) => outside.open(SERVICE_PAGES[page]),
			openSoundPrivacy,
			phase(phase, muted) {
				admission.phase(phase);
				services.guests.phase(phase);
				presence.phase(phase, muted);
				keepAwake(phase);
				memory.phase(phase);
			},
			keepDisplayAwake,
			state: () => presence.state(),
			usable() {
				starts.usable();
				clearLeftovers();
				memory.phase('idle');
			},
			restart: () => start.restart(quit),
			closeReady: quit.closeReady,
			report: (found) =>
				diagnosticsReport({
					info: info(),
					settings: settings.snapshot(),
					account: account.status(),
					findings: [...services.diagnosis.findings(), ...found],
					log: log.tail(REPORT_LINES),
					secrets: account.secrets(),
				}),
		};
	}

	/** Watches sleep, signals, and the system's requests to the program. */
	function watchSystem(): void {
		watchPower((event) => {
			ipc.announce('power.changed', { event, atWallMs: clock.wall() });
			if (event === 'suspend') keeper.suspend();
			if (event === 'resume') keeper.resume();
		});
		watchApp({
			focus,
			startedAgain: () => (quit.begun ? start.restart(quit) : focus()),
			quitAsked() {
				if (!quit.begun) presence.leave('quit');
			},
			closed: () => void quit.begin('window'),
		});
		watchEnd(process, quit, log);
	}

	function openWindow(): MainWindow {
		return openMainWindow({
			preload,
			size: { width: 1000, height: 760 },
			clock,
			log,
			closeAsked: () => presence.leave('window'),
			systemEnds: () => presence.systemEnds(),
			shownChanged: () => presence.tell(),
			askHung: (signal) => askAboutHang(window(), words().hang, signal),
			async pageGone() {
				admission.pageGone();
				services.history.pageGone();
				overlays.pageGone();
				services.guests.pageGone();
				void services.recordings.closeAll();
				void services.voices.pageGone();
				presence.phase('idle', false);
				keepAwake('idle');
				keepDisplayAwake(false);
				await services.endConversations();
			},
			...start.page(quit),
			givenUp() {
				starts.givenUp();
				showFailure(words().crash);
				void quit.begin('quit', 1);
			},
		});
	}
}

function appInfo(folders: Folders, env: NodeJS.ProcessEnv, safeMode: boolean): AppInfo {
	return {
		version: app.getVersion(),
		shell: process.versions.electron ? 'electron' : 'stand-in',
		platform: process.platform,
		locales: app.getPreferredSystemLanguages(),
		microphone: microphoneAccess(),
		userData: { folder: folders.userData, source: folders.source },
		variables: variablesSet(env),
		safeMode,
	};
}

/** The captions over other windows as this system allows them. */
function createAppOverlays({
	settings,
	env,
	...parts
}: {
	readonly settings: SettingsStore;
	readonly env: NodeJS.ProcessEnv;
	readonly preload: string;
	readonly clock: Clock;
	readonly log: Logger;
}): Overlays {
	const abilities = abilitiesOf({
		shell: process.versions.electron ? 'electron' : 'stand-in',
		platform: process.platform,
		wayland: usesWayland(env, app.commandLine.getSwitchValue('ozone-platform')),
	});
	const { platform } = process;
	return createOverlays({
		settings,
		abilities,
		locales: () => app.getPreferredSystemLanguages(),
		screens: createScreens(),
		open: (name, style, box, heard) =>
			openCaptionsWindow({ ...parts, name, abilities, platform }, style, box, heard),
		clock: parts.clock,
	});
}

/** Notifies of a voice that became ready or failed while the user was elsewhere, if the system can notify. */
function notifyOfVoice(
	voice: Pick<VoiceEntry, 'name' | 'status'>,
	words: Words['voice'],
	clicked: () => void,
): void {
	if (!Notification.isSupported()) return;
	const isReady = voice.status === 'ready';
	// The marks isolate the name, so that another script does not reverse the sentence.
	const body = (isReady ? words.readyText : words.failedText).replace(
		'{{name}}',
		// A function, so that `$&` in a name stays as it is.
		() => `\u2068${voice.name}\u2069`,
	);
	const notification = new Notification({ title: isReady ? words.readyTitle : words.failedTitle, body });
	shown.add(notification);
	notification.on('close', () => shown.delete(notification));
	notification.on('click', () => {
		shown.delete(notification);
		clicked();
	});
	notification.show();
}

/** Three channels; the window gets one end of each. Null when there is no window to give them to. */
function createStreamPorts(contents: WebContents | null, stream: string): StreamEnds | null {
	if (!contents || contents.isDestroyed()) return null;
	const channels = [new MessageChannelMain(), new MessageChannelMain(), new MessageChannelMain()] as const;
	contents.postMessage(
		PORTS,
		{ stream },
		channels.map((channel) => channel.port2),
	);
	const [control, capture, voice] = channels;
	return { control: endOf(control.port1), capture: endOf(capture.port1), voice: endOf(voice.port1) };
}

function endOf(port: MessagePortMain): PortEnd {
	return {
		post: (value) => port.postMessage(value),
		listen(heard) {
			port.on('message', ({ data }) => heard(data));
			port.start();
		},
		closed: (heard) => void port.once('close', heard),
		close: () => port.close(),
	};
}

interface AppEvents {
	/** The user clicked the app's icon in the dock: shows the window. */
	focus(): void;
	/** Called when the user starts the app while it runs. */
	startedAgain(): void;
	/** Called when the user or the system quits the app. */
	quitAsked(): void;
	/** Called when the last window was closed. */
	closed(): void;
}

/** Handles the events of the program as a whole. We quit by ourselves, because sessions must end first. */
function watchApp({ focus, startedAgain, quitAsked, closed }: AppEvents): void {
	app.on('before-quit', (event) => {
		event.preventDefault();
		quitAsked();
	});
	app.on('activate', focus);
	app.on('window-all-closed', closed);
	app.on('second-instance', startedAgain);
}

/** Logs options and variables with an unusable value, by name only: the value may be a secret. */
function tellRefused(names: readonly string[], log: Logger): void {
	for (const name of names) {
		log.warn('not usable', { name });
		process.stderr.write(`The value of ${name} cannot be used; see --help.\n`);
	}
}
