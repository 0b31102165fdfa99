import { expect, test, vi } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { takeSmoke } from './report.ts';

/** A fake of the checked part of Electron, which works; a test then breaks one thing in it. */
function pretended() {
	const keys = new Set<string>();
	const locks = new Set<number>();
	const main = {
		shown: true,
		listenerCount: (_name: string) => 1,
		hide() {
			main.shown = false;
		},
		show() {
			main.shown = true;
		},
	};
	const window = {
		webContents: { id: 7 },
		isVisible: () => true,
		isAlwaysOnTop: () => true,
		isVisibleOnAllWorkspaces: () => true,
		isFocusable: () => false,
	};
	return {
		main,
		window,
		safeStorage: {
			encryptStringAsync: async (text: string) => Buffer.from(text).reverse(),
			decryptStringAsync: async (sealed: Buffer) => ({ result: Buffer.from(sealed).reverse().toString() }),
		},
		menu: { items: [{ label: 'Dragoman' }, { label: '', role: 'editMenu' }] } as { items: object[] } | null,
		globalShortcut: {
			register: (key: string) => Boolean(keys.add(key)),
			unregister: (key: string) => void keys.delete(key),
			isRegistered: (key: string) => keys.has(key),
		},
		powerMonitor: { getSystemIdleTime: () => 3, listenerCount: (_name: string) => 1 },
		powerSaveBlocker: {
			start: () => Number(locks.add(1).size),
			stop: (id: number) => void locks.delete(id),
			isStarted: (id: number) => locks.has(id),
		},
	};
}

let now = pretended();
vi.mock('electron', () => ({
	BrowserWindow: { getAllWindows: () => [now.window] },
	Menu: { getApplicationMenu: () => now.menu },
	get safeStorage() {
		return now.safeStorage;
	},
	get globalShortcut() {
		return now.globalShortcut;
	},
	get powerMonitor() {
		return now.powerMonitor;
	},
	get powerSaveBlocker() {
		return now.powerSaveBlocker;
	},
}));
vi.mock('#main/electron/captions-window.ts', () => ({ isOverlay: ({ id }: { id: number }) => id === 7 }));
const { shellChecks } = await import('./smoke.ts');

const overlay = { shown: false, clickThrough: false };
const asked = {
	shell: 'electron' as 'electron' | 'stand-in',
	keychain: 'available' as 'available' | 'plain' | 'missing',
	tray: 'shown' as 'shown' | 'none',
	env: {} as NodeJS.ProcessEnv,
};

async function statesOf(changes: Partial<typeof asked> = {}): Promise<Record<string, string>> {
	const { shell, keychain, tray, env } = { ...asked, ...changes };
	const written: object[] = [];
	const clock = createManualClock();
	const taken = takeSmoke(
		shellChecks({
			shell,
			env,
			clock,
			settings: {
				values: () => ({ overlay }) as never,
				write: (patch) => written.push(patch) as never,
			},
			window: now.main,
			state: () => ({
				revision: 1,
				tray,
				globalKeys: 'works',
				holds: false,
				refusedKeys: [],
				shown: now.main.shown,
			}),
			keychain: () => keychain,
		}),
		clock,
	);
	await clock.run(60_000);
	const rows = await taken;
	// The setting that was changed for the check is as it was.
	if (written.length > 0) expect(written.at(-1)).toEqual({ overlay });
	expect(clock.pending).toBe(0);
	return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
}

const all = {
	keychain: 'yes',
	'SQLite with full text': 'yes',
	tray: 'yes',
	menu: 'yes',
	'global key': 'yes',
	'captions over other windows': 'yes',
	'hidden window': 'yes',
	'power events': 'yes',
	'display lock': 'yes',
};

test('a shell that does everything', async () => {
	now = pretended();
	expect(await statesOf()).toEqual(all);
});

test.each<[row: keyof typeof all, what: string, lie: (shell: ReturnType<typeof pretended>) => void]>([
	[
		'keychain',
		'that gives another secret back',
		({ safeStorage }) => {
			safeStorage.decryptStringAsync = async () => ({ result: 'another' });
		},
	],
	[
		'keychain',
		'that seals nothing',
		({ safeStorage }) => {
			safeStorage.encryptStringAsync = async (text) => Buffer.from(text);
			safeStorage.decryptStringAsync = async (sealed) => ({ result: sealed.toString() });
		},
	],
	['menu', 'without entries', (shell) => (shell.menu = { items: [] })],
	['menu', 'that is missing', (shell) => (shell.menu = null)],
	['global key', 'that is refused', ({ globalShortcut }) => (globalShortcut.register = () => false)],
	['global key', 'that is not held', ({ globalShortcut }) => (globalShortcut.isRegistered = () => false)],
	['captions over other windows', 'below others', ({ window }) => (window.isAlwaysOnTop = () => false)],
	[
		'captions over other windows',
		'on one workspace',
		({ window }) => (window.isVisibleOnAllWorkspaces = () => process.platform === 'win32'),
	],
	[
		'captions over other windows',
		'that take the keyboard',
		({ window }) => (window.isFocusable = () => true),
	],
	['captions over other windows', 'that never open', ({ window }) => (window.isVisible = () => false)],
	[
		'power events',
		'that nobody hears',
		({ powerMonitor }) => (powerMonitor.listenerCount = (name) => (name === 'suspend' ? 0 : 1)),
	],
	['power events', 'Windows shutting down', ({ main }) => (main.listenerCount = () => 0)],
	['hidden window', 'that is not noticed', ({ main }) => (main.hide = () => {})],
	['hidden window', 'that does not come back', ({ main }) => (main.show = () => {})],
	[
		'display lock',
		'that does not hold',
		({ powerSaveBlocker }) => (powerSaveBlocker.isStarted = () => false),
	],
	['display lock', 'that stays', ({ powerSaveBlocker }) => (powerSaveBlocker.stop = () => {})],
])('%s: %s', async (row, _what, lie) => {
	now = pretended();
	lie(now);
	expect(await statesOf()).toEqual({ ...all, [row]: 'no' });
});

test('what a system has not is not here, and no failure', async () => {
	now = pretended();
	expect(
		await statesOf({ keychain: 'missing', tray: 'none', env: { WAYLAND_DISPLAY: 'wayland-0' } }),
	).toEqual({
		...all,
		keychain: 'not here',
		tray: 'not here',
		'captions over other windows': process.platform === 'linux' ? 'not here' : 'yes',
	});
	now = pretended();
	expect(await statesOf({ keychain: 'plain' })).toEqual({ ...all, keychain: 'not here' });
	expect(await statesOf({ shell: 'stand-in' })).toMatchObject({
		'global key': 'not here',
		'captions over other windows': 'not here',
		'hidden window': 'not here',
		'display lock': 'not here',
	});
});
