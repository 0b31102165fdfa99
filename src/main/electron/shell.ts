import { join } from 'node:path';
import { app } from 'electron';
import { createAccount } from '#main/account/account.ts';
import { followChoice } from '#main/history/follow-choice.ts';
import { createHistory } from '#main/history/history.ts';
import { createHost } from '#main/host.ts';
import { createLedgerFile } from '#main/keeper/ledger-file.ts';
import { createSessionKeeper } from '#main/keeper/session-keeper.ts';
import { createLogFile } from '#main/log/log-file.ts';
import { checkRestBase, PUBLIC_REST_BASE, parseAllowedHosts } from '#main/service/addresses.ts';
import { createSessionClient } from '#main/service/session-client.ts';
import { PUBLIC_SOCKETS } from '#main/streaming/addresses.ts';
import { needsRoom } from '#shared/settings/needs-room.ts';
import { createAppDiagnosis } from './app-diagnosis.ts';
import { appInfo } from './app-info.ts';
import { createAppOverlay } from './app-overlay.ts';
import { createAppRecordings } from './app-recordings.ts';
import { createAppRouting } from './app-routing.ts';
import { createAppSystemSound } from './app-system-sound.ts';
import { createAppVoices } from './app-voices.ts';
import { askAboutHang, chooseSample, saveText, showWindowFailure } from './dialogs.ts';
import { createElectronIpc } from './electron-ipc.ts';
import type { Folders } from './folders.ts';
import { askForMicrophone, openMicrophonePrivacy, openSoundPrivacy } from './microphone-access.ts';
import { notifyOfVoice } from './notify.ts';
import { createOutbound } from './outbound.ts';
import { createOutside } from './outside.ts';
import { guardPage } from './page-guards.ts';
import { createDisplayLock, createWakeLock, watchPower } from './power.ts';
import { createPresence } from './presence.ts';
import { createQuit } from './quit.ts';
import { diagnosticsReport, REPORT_LINES } from './report.ts';
import { createReach } from './request-guard.ts';
import { chooseStart, type StartParts } from './safe-mode.ts';
import { createSafeStorage } from './safe-storage.ts';
import { createSandboxProcess } from './sandbox-process.ts';
import { createSessionDoor } from './session-door.ts';
import { createAppStreams } from './streams.ts';
import { tellRefused, watchApp } from './watch-app.ts';
import { watchEnd } from './watch-end.ts';
import { type MainWindow, openMainWindow } from './windows.ts';
import { wordsFor } from './words.ts';

/** Sessions of an account that is left are ended before the next is used; a dead network does not hold it up. */
const CHANGE_LIMIT_MS = 4000;

export interface ShellParts extends StartParts {
	readonly folders: Folders;
	/** Folder of the built parts: main, preload, renderer. */
	readonly built: string;
}

/** The composition root of the app: builds everything, hands it to each other, opens the window. */
export async function startShell(parts: ShellParts): Promise<void> {
	const { env, folders, clock, built, starts } = parts;
	const start = await chooseStart(parts);
	const { safe, settings } = start;
	const log = createLogFile({
		folder: folders.logs,
		clock,
		level: () => settings.values().logLevel,
		secrets: () => account.secrets(),
	});
	const random = Math.random;
	const { fetch, agent, resolveProxy } = createOutbound({ settings, env, clock, log });
	/** Restricts where a service may send media; our own sandbox is not one, and is on this computer. */
	const allowedHosts = () =>
		account.isOwnSandbox() ? [] : parseAllowedHosts(settings.values().allowedHosts);
	const service = { fetch, clock, random, log, allowedHosts };

	const account = createAccount({
		settings,
		secrets: createSafeStorage(join(folders.userData, 'secrets'), log),
		sandbox: createSandboxProcess({
			script: join(built, 'main', 'sandbox.js'),
			liveKitSecret: env.LIVEKIT_API_SECRET,
			clock,
			log,
		}),
		checkKey: (key, baseUrl) =>
			createSessionClient({ ...service, baseUrl: () => baseUrl, key: () => key }).checkKey(),
		async beforeChange() {
			door.accountLeaves();
			// First, so that the conversation ends and does not take what follows for a lost connection.
			ipc.announce('account.leaving', { revision: account.status().revision });
			await giveUpAll();
		},
		keyOfVariable: env.DRAGOMAN_API_KEY || undefined,
		voiceTokenOfVariable: env.DRAGOMAN_VOICE_TOKEN || undefined,
		publicApiUrl: PUBLIC_REST_BASE,
		publicSockets: PUBLIC_SOCKETS,
		log,
	});
	const api = createSessionClient({ ...service, baseUrl: account.baseUrl, key: account.key });
	const ledger = createLedgerFile({ folder: folders.userData, clock, log });
	// A session that no conversation would use counts against the plan all the same.
	const warmIdleMs = () => (needsRoom(settings.values()) ? settings.values().warmIdleS * 1000 : 0);
	const keeper = createSessionKeeper({ api, ledger, clock, random, log, warmIdleMs });
	const history = createHistory({ folder: folders.userData, clock, log, choice: settings.values });
	const voices = createAppVoices({
		...service,
		account,
		userData: folders.userData,
		agent,
		chooseFile: () => chooseSample(main?.window() ?? null, words().voice),
		finished: (voice) => notifyOfVoice(voice, words().voice, () => main?.focus()),
	});
	const outside = createOutside({ window: () => main?.window() ?? null, words: () => words().outside, log });
	const routing = createAppRouting({ clock, log, outside });
	const preload = join(built, 'preload', 'index.cjs');
	const overlay = createAppOverlay({
		settings,
		env,
		preload,
		title: () => words().overlay.title,
		clock,
		log,
	});
	const ipc = createElectronIpc(() => account.secrets());
	let main: MainWindow | null = null;
	const contents = () => main?.window()?.webContents ?? null;
	const systemSound = createAppSystemSound({ clock, log, contents });
	const recordings = createAppRecordings({ clock, log, window: () => main?.window() ?? null });
	const streams = createAppStreams({
		account,
		clock,
		log,
		allowedHosts,
		agent,
		contents,
	});
	const keepAwake = createWakeLock();
	const keepDisplayAwake = createDisplayLock();
	const reach = createReach({ devtools: !app.isPackaged });
	const door = createSessionDoor({
		keeper,
		streams,
		isQuitting: () => quit.begun,
		granted: reach.grant,
	});

	async function giveUpAll(): Promise<void> {
		systemSound.closeAll();
		await Promise.all([keeper.closeAll(CHANGE_LIMIT_MS), streams.closeAll()]);
	}

	const quit = createQuit({
		clock,
		log,
		announce(reason) {
			if (!main?.window()) return false;
			ipc.announce('app.closing', { reason });
			return true;
		},
		closeSessions: (deadlineMs) => keeper.closeAll(deadlineMs),
		async closeRest() {
			presence.close();
			overlay.close();
			systemSound.close();
			await recordings.closeAll();
			await diagnosis.close();
			const routed = routing.close();
			await streams.closeAll();
			ledger.close();
			history.close();
			await voices.close();
			await account.close();
			await routed;
		},
		exit: start.exit,
	});

	/** A service on this computer is reached without encryption; nothing else ever is. */
	function mayUseLoopback(): boolean {
		if (account.status().service !== 'service') return true;
		const { baseUrl } = account;
		return baseUrl().startsWith('http:') && checkRestBase(baseUrl()) === null;
	}

	const info = () => appInfo(folders, env, safe);

	const diagnosis = createAppDiagnosis({
		...{ account, clock, log, env, fetch, agent, allowedHosts, ledger, keeper },
		folder: folders.userData,
		client: api,
		settingsProblem: () => settings.snapshot().problem,
		busy: () => quit.begun || door.isBusy(),
		resolveProxy,
	});

	const answer = createHost({
		account,
		settings,
		log,
		sessions: door.sessions,
		streams: door.streams,
		history,
		voices,
		routing,
		diagnosis,
		systemSound,
		recordings,
		overlay,
		shell: {
			info,
			saveText: (name, text) => saveText(main?.window() ?? null, name, text),
			openMicrophonePrivacy,
			openSoundPrivacy,
			phase(phase, muted) {
				door.phase(phase);
				presence.phase(phase, muted);
				keepAwake(phase);
			},
			keepDisplayAwake,
			state: () => presence.state(),
			usable: starts.usable,
			restart: () => start.restart(quit),
			closeReady: quit.closeReady,
			report: (found) =>
				diagnosticsReport({
					info: info(),
					settings: settings.snapshot(),
					account: account.status(),
					findings: [...diagnosis.findings(), ...found],
					log: log.tail(REPORT_LINES),
					secrets: account.secrets(),
				}),
		},
	});
	ipc.serve(answer);

	const page = guardPage({
		renderer: join(built, 'renderer'),
		mayUseLoopback,
		allowedHosts: () => settings.values().allowedHosts,
		listening: systemSound.listening,
		reach,
		outside,
		log,
	});

	const words = () => wordsFor(settings.values().interfaceLanguage, app.getPreferredSystemLanguages());
	const presence = createPresence({
		shell: info().shell,
		settings,
		words,
		logs: folders.logs,
		env,
		log,
		run: (command) => ipc.announce('command.run', { command }),
		main: () => main,
		end: (reason) => void quit.begin(reason),
		changed: (state) => ipc.announce('shell.changed', state),
	});
	settings.listen((snapshot) => {
		if (!needsRoom(settings.values())) keeper.cool();
		presence.refresh();
		ipc.announce('settings.changed', snapshot);
	});
	followChoice(settings, history);
	history.listen((state) => ipc.announce('history.changed', state));
	voices.listen((list) => ipc.announce('voice.changed', list));
	diagnosis.listen((state) => ipc.announce('diagnosis.changed', state));
	routing.listen((state) => ipc.announce('routing.changed', state));
	systemSound.listen((state) => ipc.announce('system-sound.changed', state));
	account.listen((status) => {
		ipc.announce('account.changed', status);
		void voices.accountChanged();
		if (page.isOutdated()) clock.after(500, () => main?.reload());
	});
	keeper.onLost((handle, problem) => ipc.announce('session.lost', { handle, problem }));
	watchPower((event) => {
		ipc.announce('power.changed', { event });
		if (event === 'suspend') keeper.suspend();
		if (event === 'resume') keeper.resume();
	});

	watchApp({
		focus: () => main?.focus(),
		quitAsked() {
			if (!quit.begun) presence.leave('quit');
		},
		closed: () => void quit.begin('window'),
	});
	watchEnd(process, quit, log);

	log.info('started', { version: app.getVersion(), shell: info().shell, ...(safe && { safe }) });
	tellRefused(settings.refused(), log);
	await account.open();
	void keeper.sweep();
	void routing.clean();
	presence.refresh();
	main = await openMainWindow({
		preload,
		size: { width: 1000, height: 760 },
		clock,
		log,
		closeAsked: () => presence.leave('window'),
		askHung: (signal) => askAboutHang(words().hang, signal),
		async pageGone() {
			door.pageGone();
			history.pageGone();
			overlay.pageGone();
			void voices.pageGone();
			presence.phase('idle', false);
			keepAwake('idle');
			keepDisplayAwake(false);
			await giveUpAll();
		},
		...start.page(quit),
		givenUp() {
			starts.givenUp();
			showWindowFailure(words().crash);
			void quit.begin('quit', 1);
		},
	});
	// It goes with the window whose captions it shows.
	main.window()?.once('closed', overlay.close);
	if (!safe) overlay.begin();
	askForMicrophone();
}
