import { BrowserWindow, type WebPreferences } from 'electron';
import { APP_ORIGIN } from '#main/app/guards.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';

/** Reloads before giving up: a window that keeps dying would only cost money and patience. */
const RELOADS = 3;
const RELOADS_WITHIN_MS = 300_000;

export interface MainWindowParts {
	readonly preload: string;
	readonly size: { readonly width: number; readonly height: number };
	readonly clock: Clock;
	readonly log: Logger;
	/** The user asks to close; the window stays until `destroy`. */
	closeAsked(): void;
	/** The page crashed, was reloaded or is about to be: deletes its sessions, and resolves when they are given up. */
	pageGone(): Promise<void>;
	/** A page is about to be loaded, for the first time or again. */
	pageBegins(): void;
	/** The page has crashed or does not respond. */
	pageTroubled(): void;
	/** Called before a crashed page is loaded again: true = quit the program instead. */
	leaves(): Promise<boolean>;
	/** The page crashed too often and is not reloaded any more. */
	givenUp(): void;
	/** Windows shuts down or logs off: quits without asking the user. */
	systemEnds(): void;
	/** The window was minimised, hidden or shown again. */
	shownChanged(): void;
	/** The page does not respond: asks the user whether to wait. `signal` aborts when it responds again or is closed. */
	askHung(signal: AbortSignal): Promise<'wait' | 'reload'>;
}

export type MainWindow = ReturnType<typeof openMainWindow>;

/**
 * The main window. It is never throttled, because a conversation continues while other windows cover it. A
 * page that dies before it is loaded is loaded again. `opened` stays pending if no page ever loads; the
 * program is then told to end.
 */
export function openMainWindow(parts: MainWindowParts) {
	const window = new BrowserWindow({
		...parts.size,
		minWidth: 420,
		minHeight: 480,
		title: 'Dragoman',
		webPreferences: pagePreferences(parts.preload),
	});
	let deaths: number[] = [];
	/** True once a page was loaded: before that there is nothing to reload. */
	let isThere = false;
	const opened = Promise.withResolvers<void>();
	/** Aborts the open question whether to wait. */
	let asking: AbortController | null = null;

	function stopAsking(): void {
		asking?.abort();
		asking = null;
	}

	async function askHung(): Promise<void> {
		if (asking) return;
		parts.log.warn('window does not answer');
		parts.pageTroubled();
		const mine = new AbortController();
		asking = mine;
		const answer = await parts.askHung(mine.signal);
		if (mine.signal.aborted || window.isDestroyed()) return;
		asking = null;
		// A page that does not respond cannot reload, so kill it: it is then reloaded as after any crash.
		if (answer === 'reload') window.webContents.forcefullyCrashRenderer();
	}

	/** The page died, or could not be loaded; `again` gives it another chance. */
	function died(reason: string, again: () => void): void {
		stopAsking();
		parts.log.error('window died', { reason });
		parts.pageTroubled();
		const now = parts.clock.now();
		deaths = [...deaths.filter((at) => now - at < RELOADS_WITHIN_MS), now];
		const tooOften = deaths.length > RELOADS;
		void parts.pageGone().then(async () => {
			if (tooOften) return parts.givenUp();
			if (!(await parts.leaves()) && !window.isDestroyed()) again();
		});
	}

	function load(): void {
		const before = deaths;
		window.loadURL(`${APP_ORIGIN}/index.html`).then(opened.resolve, () => {
			// A page that dies while it loads makes this fail, too, and its death may be reported only afterwards.
			parts.clock.after(0, () => {
				if (deaths === before && !window.isDestroyed()) died('not loaded', load);
			});
		});
	}

	/** macOS: hidden in full screen, it would leave a black screen behind. */
	function hide(): void {
		if (window.isDestroyed()) return;
		if (process.platform !== 'darwin' || !window.isFullScreen()) {
			window.hide();
			return;
		}
		staysShown();
		window.once('leave-full-screen', hide);
		window.setFullScreen(false);
	}

	/** Cancels hiding the window after it has left full screen. */
	function staysShown(): void {
		window.removeListener('leave-full-screen', hide);
	}

	window.on('close', (event) => {
		event.preventDefault();
		parts.closeAsked();
	});
	// The page cannot detect this: it is not throttled, so its visibility never changes.
	window.on('minimize', parts.shownChanged);
	window.on('restore', parts.shownChanged);
	window.on('hide', parts.shownChanged);
	window.on('show', parts.shownChanged);
	window.on('unresponsive', () => void askHung());
	window.on('responsive', stopAsking);
	window.webContents.on('render-process-gone', (_event, { reason }) => {
		if (reason === 'clean-exit') stopAsking();
		else died(reason, () => (isThere ? window.webContents.reload() : load()));
	});
	// Make Windows wait: otherwise it would end the program before its sessions are deleted.
	window.on('query-session-end', (event) => {
		event.preventDefault();
		parts.systemEnds();
	});
	// Windows no longer waits, or never asked.
	window.on('session-end', parts.systemEnds);
	// After a reload (F5, Ctrl+R, or ours), release everything that the previous page held.
	window.webContents.on('did-navigate', () => {
		const isFirst = !isThere && deaths.length === 0;
		isThere = true;
		if (isFirst) return;
		parts.pageBegins();
		void parts.pageGone();
	});
	window.webContents.once('did-finish-load', () => opened.resolve());
	parts.pageBegins();
	load();

	return {
		/** Resolves once a page is loaded; requests of the page may come earlier. */
		opened: opened.promise,
		window: (): BrowserWindow | null => (window.isDestroyed() ? null : window),
		/** Neither minimised nor hidden. */
		isShown: (): boolean => !window.isDestroyed() && window.isVisible() && !window.isMinimized(),
		focus(): void {
			if (window.isDestroyed()) return;
			staysShown();
			if (window.isMinimized()) window.restore();
			window.show();
			window.focus();
		},
		/** Hides the window; its sound continues. */
		hide,
		/** Reloads the page after everything it held has been released. */
		reload(): void {
			void parts.pageGone().then(() => {
				if (!window.isDestroyed()) window.webContents.reload();
			});
		},
	};
}

/** The preferences of all our pages. They repeat Electron's secure defaults, in case a default changes. */
export function pagePreferences(preload: string): WebPreferences {
	return {
		preload,
		contextIsolation: true,
		sandbox: true,
		nodeIntegration: false,
		nodeIntegrationInWorker: false,
		nodeIntegrationInSubFrames: false,
		webSecurity: true,
		allowRunningInsecureContent: false,
		experimentalFeatures: false,
		webviewTag: false,
		navigateOnDragDrop: false,
		// A conversation continues behind other windows.
		backgroundThrottling: false,
		spellcheck: false,
	};
}
