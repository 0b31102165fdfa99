import type { EventEmitter } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { abilitiesOf } from '#shared/overlay/placement.ts';
import type { OverlayName } from '#shared/overlay/style.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';

interface Made extends EventEmitter {
	readonly options: Record<string, unknown>;
	readonly did: (readonly [string, ...unknown[]])[];
	readonly webContents: EventEmitter & { readonly id: number; readonly reloads: number };
}
const made: Made[] = [];
vi.mock('electron', async () => {
	const { EventEmitter: Emitter } = await import('node:events');
	class FakeContents extends Emitter {
		id = made.length + 1;
		reloads = 0;
		send() {}
		reload() {
			this.reloads += 1;
		}
	}
	class FakeWindow extends Emitter {
		readonly options: unknown;
		readonly did: (readonly [string, ...unknown[]])[] = [];
		webContents = new FakeContents();
		constructor(options: unknown) {
			super();
			this.options = options;
		}
		async loadURL(address: string) {
			this.did.push(['loadURL', address]);
		}
		destroy() {
			this.did.push(['destroy']);
			this.emit('closed');
		}
		isDestroyed = () => false;
		getBounds = () => ({ x: 1, y: 2, width: 3, height: 4 });
	}
	/** Every other call is written down. */
	const BrowserWindow = new Proxy(FakeWindow, {
		construct(target, [options]) {
			const window = new target(options);
			made.push(window as unknown as Made);
			return new Proxy(window, {
				get(of, key) {
					if (key in of) {
						const value = Reflect.get(of, key);
						return typeof value === 'function' ? value.bind(of) : value;
					}
					return (...args: unknown[]) => void of.did.push([String(key), ...args]);
				},
			});
		},
	});
	return { BrowserWindow, screen: {}, protocol: {} };
});
const { openCaptionsWindow, isOverlay } = await import('./captions-window.ts');

beforeEach(() => {
	made.length = 0;
});

function open(
	platform: string,
	style: Partial<typeof defaultSettings.overlay> = {},
	wayland = false,
	name: OverlayName = 'mine',
) {
	const clock = createManualClock();
	const heard: string[] = [];
	const window = openCaptionsWindow(
		{
			name,
			preload: 'preload.cjs',
			abilities: abilitiesOf({ shell: 'electron', platform, wayland }),
			platform,
			clock,
			log: silentLogger,
		},
		{ ...(name === 'mine' ? defaultSettings.overlay : defaultSettings.audienceOverlay), ...style },
		{ x: 0, y: 0, width: 600, height: 150 },
		{ moved: () => void heard.push('moved'), closed: () => void heard.push('closed') },
	);
	const [shell] = made;
	if (!shell) throw new Error('no window');
	return { window, clock, heard, shell, calls: (name: string) => shell.did.filter(([one]) => one === name) };
}

test('it is sandboxed like the main window, and known as what it is', () => {
	const { shell } = open('win32');
	expect(shell.options['webPreferences']).toMatchObject({
		contextIsolation: true,
		sandbox: true,
		nodeIntegration: false,
		webSecurity: true,
		// The zoom of the main window, of the same origin, is not its own.
		zoomMode: 'disabled',
	});
	expect(isOverlay(shell.webContents)).toBe(true);
	expect(isOverlay({ id: 999 })).toBe(false);
	expect(shell.did).toContainEqual(['loadURL', 'app://dragoman/overlay/index.html#mine']);
});

test('it comes into sight when its page is there, and takes the keyboard from nobody', async () => {
	const { shell, calls } = open('win32');
	expect([shell.options['show'], calls('showInactive')]).toEqual([false, []]);
	await expect.poll(() => calls('showInactive')).toHaveLength(1);
	expect([...calls('show'), ...calls('focus')]).toEqual([]);
});

test('its page is loaded again when it dies, three times and no more', () => {
	const { webContents } = open('win32').shell;
	for (let death = 1; death <= 5; death += 1) {
		webContents.emit('render-process-gone', {}, { reason: 'crashed' });
		expect(webContents.reloads).toBe(Math.min(death, 3));
	}
});

test('Windows: above the task bar and presentations, again and again until it is closed', () => {
	const { shell, clock, calls, window } = open('win32');
	expect(shell.options).toMatchObject({
		frame: false,
		transparent: true,
		hasShadow: false,
		skipTaskbar: true,
	});
	expect(calls('setAlwaysOnTop')).toEqual([['setAlwaysOnTop', true, 'screen-saver']]);
	clock.advance(3000);
	expect(calls('setAlwaysOnTop')).toHaveLength(4);
	window.close();
	clock.advance(3000);
	expect(calls('setAlwaysOnTop')).toHaveLength(4);
	expect(clock.pending).toBe(0);
});

test('macOS and Linux: in all workspaces, over full screen too', () => {
	for (const platform of ['darwin', 'linux']) {
		made.length = 0;
		const { calls, clock } = open(platform);
		expect(calls('setVisibleOnAllWorkspaces')[0]).toMatchObject(['setVisibleOnAllWorkspaces', true, {}]);
		expect(clock.pending).toBe(0);
	}
});

test('macOS: a panel, above the slides of a presentation; elsewhere an ordinary kind of window', () => {
	const mac = open('darwin');
	expect(mac.shell.options['type']).toBe('panel');
	expect(mac.calls('setAlwaysOnTop')).toEqual([['setAlwaysOnTop', true, 'screen-saver']]);
	for (const platform of ['win32', 'linux']) {
		made.length = 0;
		expect(open(platform).shell.options).not.toHaveProperty('type');
	}
	made.length = 0;
	expect(open('linux').calls('setAlwaysOnTop')).toEqual([['setAlwaysOnTop', true, 'floating']]);
});

test('Windows: another look takes the keyboard from nobody', () => {
	const { window, calls } = open('win32');
	window.apply({ ...defaultSettings.overlay, size: 60 });
	window.apply({ ...defaultSettings.overlay, size: 61 });
	expect([...calls('setFocusable'), ...calls('setSkipTaskbar')]).toEqual([]);
	window.apply({ ...defaultSettings.overlay, locked: true });
	window.apply({ ...defaultSettings.overlay, locked: true, size: 60 });
	expect(calls('setFocusable')).toEqual([['setFocusable', false]]);
	expect(calls('setSkipTaskbar')).toEqual([['setSkipTaskbar', true]]);
});

test('Wayland: an ordinary window that is neither placed above others nor clicked through', () => {
	const { shell, calls } = open('linux', { clickThrough: true, hidden: true }, true);
	expect(shell.options).toMatchObject({
		frame: true,
		transparent: false,
		resizable: true,
		skipTaskbar: false,
	});
	for (const name of ['setAlwaysOnTop', 'setIgnoreMouseEvents', 'setContentProtection'])
		expect(calls(name)).toEqual([]);
});

test('clicked through, the mouse is seen passing where the system tells; locked, the keyboard stays away', () => {
	const { window, calls } = open('darwin');
	window.apply({ ...defaultSettings.overlay, clickThrough: true });
	expect(calls('setIgnoreMouseEvents').at(-1)).toEqual(['setIgnoreMouseEvents', true, { forward: true }]);
	expect(calls('setFocusable').at(-1)).toEqual(['setFocusable', false]);
	window.apply({ ...defaultSettings.overlay, locked: true });
	expect(calls('setIgnoreMouseEvents').at(-1)?.[1]).toBe(false);
	expect(calls('setFocusable').at(-1)).toEqual(['setFocusable', false]);
	expect(calls('setMovable').at(-1)).toEqual(['setMovable', false]);
	window.apply(defaultSettings.overlay);
	expect(calls('setFocusable').at(-1)).toEqual(['setFocusable', true]);
	made.length = 0;
	const linux = open('linux', { clickThrough: true });
	expect(linux.calls('setIgnoreMouseEvents')).toEqual([['setIgnoreMouseEvents', true]]);
});

test('hidden from screen shares where the system can, and shown again', () => {
	const { window, calls } = open('win32', { hidden: true });
	expect(calls('setContentProtection')).toEqual([['setContentProtection', true]]);
	window.apply({ ...defaultSettings.overlay, hidden: false });
	expect(calls('setContentProtection').at(-1)).toEqual(['setContentProtection', false]);
	made.length = 0;
	expect(open('linux', { hidden: true }).calls('setContentProtection')).toEqual([]);
});

test('those for the audience are never hidden, and their page knows what it is', () => {
	for (const platform of ['win32', 'darwin']) {
		made.length = 0;
		const { window, shell, calls } = open(platform, {}, false, 'audience');
		window.apply(defaultSettings.audienceOverlay);
		expect(calls('setContentProtection').map(([, on]) => on)).toEqual([false, false]);
		expect(shell.did).toContainEqual(['loadURL', 'app://dragoman/overlay/index.html#audience']);
	}
});

test('closed by the user it says so, once; closed by us it says nothing', () => {
	const user = open('win32');
	user.shell.emit('close');
	user.shell.emit('closed');
	expect(user.heard).toEqual(['closed']);
	made.length = 0;
	const ours = open('win32');
	ours.window.close();
	expect(ours.heard).toEqual([]);
	expect(ours.calls('destroy')).toHaveLength(1);
});
