import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BrowserWindow, globalShortcut, Menu, powerMonitor, powerSaveBlocker, safeStorage } from 'electron';
import type { Keychain } from '#main/account/secrets.ts';
import { isOverlay } from '#main/electron/captions-window.ts';
import { systemKeys } from '#main/electron/shortcuts.ts';
import { writeAtomically } from '#main/lib/files.ts';
import type { SettingsStore } from '#main/settings/settings.ts';
import type { ShellState } from '#shared/host/contract.ts';
import { type Clock, pause } from '#shared/lib/clock.ts';
import { abilitiesOf, usesWayland } from '#shared/overlay/placement.ts';
import { pageChecks } from './page-checks.ts';
import { NotHere, SMOKE_FILE, type SmokeCheck, takeSmoke } from './report.ts';

/** What the app itself says of its shell. */
export interface ShellPromises {
	readonly shell: 'electron' | 'stand-in';
	readonly env: NodeJS.ProcessEnv;
	readonly clock: Clock;
	readonly settings: Pick<SettingsStore, 'values' | 'write'>;
	/** The main window. */
	readonly window: Pick<BrowserWindow, 'hide' | 'show' | 'listenerCount'>;
	state(): ShellState;
	keychain(): Keychain;
}

/** A combination that nobody uses. */
const KEY = 'CommandOrControl+Alt+Shift+F12';
const LOOK_EVERY_MS = 100;
const LOOKS = 50;

/** What main sees of the shell. */
export function shellChecks(promises: ShellPromises): readonly SmokeCheck[] {
	const { shell, env, clock, settings } = promises;

	/** What `look` finds; it looks at most `LOOKS` times, then `otherwise` is the failure. */
	async function once<Found>(look: () => Found | false | undefined, otherwise: string): Promise<Found> {
		for (let looks = 0; looks < LOOKS; looks += 1) {
			const found = look();
			if (found) return found;
			await pause(clock, LOOK_EVERY_MS);
		}
		throw new Error(otherwise);
	}

	function overlayWindow(): BrowserWindow | undefined {
		const found = BrowserWindow.getAllWindows().find((one) => isOverlay(one.webContents));
		return found?.isVisible() ? found : undefined;
	}

	return [
		{
			name: 'keychain',
			async look() {
				const kind = promises.keychain();
				if (kind === 'missing') throw new NotHere('the system keeps no secrets for programs');
				const secret = randomBytes(16).toString('hex');
				const sealed = await safeStorage.encryptStringAsync(secret);
				if (sealed.includes(secret)) throw new Error('what was sealed can be read');
				if ((await safeStorage.decryptStringAsync(sealed)).result !== secret)
					throw new Error('another secret came back');
				if (kind === 'plain') throw new NotHere('no keyring: sealed with a password that everybody knows');
				return 'sealed and opened';
			},
		},
		{
			name: 'SQLite with full text',
			look() {
				const database = new DatabaseSync(':memory:');
				try {
					database.exec(
						"CREATE VIRTUAL TABLE said USING fts5(text); INSERT INTO said VALUES ('good morning')",
					);
					const found = database.prepare("SELECT text FROM said WHERE said MATCH 'morn*'").all();
					if (found.length !== 1) throw new Error('a word that is there is not found');
					const row = database.prepare('SELECT sqlite_version() AS version').get();
					return `SQLite ${row?.['version']}, FTS5 finds`;
				} finally {
					database.close();
				}
			},
		},
		{
			name: 'tray',
			look() {
				if (promises.state().tray === 'none') throw new NotHere('this shell or desktop has none');
				return 'there';
			},
		},
		{
			name: 'menu',
			look() {
				const menu = Menu.getApplicationMenu();
				if (!menu || menu.items.length === 0) throw new Error('there is no menu');
				return menu.items.map(({ label, role }) => label || role).join(', ');
			},
		},
		{
			name: 'global key',
			look() {
				const keys = systemKeys(shell);
				if (!keys) throw new NotHere('this shell has none');
				if (!keys.register(KEY, () => {})) {
					if (promises.state().globalKeys === 'portal')
						throw new NotHere('the desktop asks the person first');
					throw new Error(`${KEY} is refused`);
				}
				const isTaken = globalShortcut.isRegistered(KEY);
				keys.unregister(KEY);
				if (!isTaken) throw new Error(`${KEY} was taken and is not held`);
				return `${KEY} taken and given back`;
			},
		},
		{
			name: 'captions over other windows',
			async look() {
				const { platform } = process;
				const abilities = abilitiesOf({ shell, platform, wayland: usesWayland(env, '') });
				if (!abilities.floats) throw new NotHere(`an ordinary window, because of ${abilities.because}`);
				const { overlay } = settings.values();
				settings.write({ overlay: { ...overlay, shown: true, clickThrough: true } });
				try {
					const window = await once(overlayWindow, 'it does not open');
					if (!window.isAlwaysOnTop()) throw new Error('it is not above other windows');
					if (platform !== 'win32' && !window.isVisibleOnAllWorkspaces())
						throw new Error('it is on one workspace alone');
					if (window.isFocusable()) throw new Error('it would take the keyboard while it is clicked through');
					return 'above the others, on every workspace, clicked through';
				} finally {
					settings.write({ overlay });
				}
			},
		},
		{
			name: 'hidden window',
			async look() {
				if (shell === 'stand-in') throw new NotHere('the page sees it by itself');
				promises.window.hide();
				try {
					await once(() => !promises.state().shown, 'it is drawn on as if somebody saw it');
				} finally {
					promises.window.show();
				}
				await once(() => promises.state().shown, 'it is not drawn when it is shown again');
				return 'known to be hidden, and shown again';
			},
		},
		{
			name: 'power events',
			look() {
				const idleS = powerMonitor.getSystemIdleTime();
				const heard = ['suspend', 'resume', 'lock-screen', 'unlock-screen', 'shutdown'] as const;
				const missed: string[] = heard.filter((name) => powerMonitor.listenerCount(name) === 0);
				// This is how Windows tells of a shutdown.
				if (promises.window.listenerCount('query-session-end') === 0) missed.push('query-session-end');
				if (missed.length > 0) throw new Error(`nobody listens for ${missed.join(', ')}`);
				return `listened for; the person was last seen ${idleS} s ago`;
			},
		},
		{
			name: 'display lock',
			look() {
				if (shell === 'stand-in') throw new NotHere('a page alone cannot keep the display lit for main');
				const id = powerSaveBlocker.start('prevent-display-sleep');
				const isHeld = powerSaveBlocker.isStarted(id);
				powerSaveBlocker.stop(id);
				if (!isHeld || powerSaveBlocker.isStarted(id)) throw new Error('it is not held, or not let go');
				return 'held and let go';
			},
		},
	];
}

/** `--smoke`: checks everything the app relies on in its shell, and writes `smoke.json` in the user-data folder. */
export async function smoke({
	userData,
	...promises
}: ShellPromises & {
	readonly window: BrowserWindow;
	readonly userData: string;
}): Promise<void> {
	const checks = [...pageChecks(promises.window, promises), ...shellChecks(promises)];
	const rows = await takeSmoke(checks, promises.clock);
	writeAtomically(join(userData, SMOKE_FILE), `${JSON.stringify(rows, null, '\t')}\n`);
}
