import { beforeEach, expect, test, vi } from 'vitest';
import { wordsFor } from '#main/app/words.ts';
import type { ShellState } from '#shared/host/contract.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';

interface Item {
	readonly label?: string;
	readonly accelerator?: string;
	readonly submenu?: readonly Item[];
}

/** The last values given to the system. */
const system = vi.hoisted(() => ({
	menu: [] as unknown,
	trayMenu: [] as unknown,
	/** Global keys that we have. */
	keys: new Set<string>(),
	/** Those of other programs. */
	taken: new Set<string>(),
	/** Buttons of each question. */
	asked: [] as (readonly string[])[],
}));
// Electron's package would download its program when imported.
vi.mock('electron', () => ({
	app: {},
	shell: {},
	dialog: {
		/** Closed by the person. */
		async showMessageBox({ buttons, cancelId }: { buttons: readonly string[]; cancelId: number }) {
			system.asked.push(buttons);
			return { response: cancelId, checkboxChecked: false };
		},
	},
	Menu: {
		buildFromTemplate: (items: unknown) => items,
		setApplicationMenu(menu: unknown) {
			system.menu = menu;
		},
	},
	Tray: class {
		on() {}
		setImage() {}
		setToolTip() {}
		setContextMenu(menu: unknown) {
			system.trayMenu = menu;
		}
		destroy() {}
	},
	nativeImage: {
		createEmpty: () => ({ addRepresentation() {}, setTemplateImage() {} }),
		createFromBitmap: () => ({ toPNG: () => new Uint8Array() }),
	},
	globalShortcut: {
		register: (key: string) => !system.taken.has(key) && Boolean(system.keys.add(key)),
		unregister: (key: string) => void system.keys.delete(key),
	},
	powerMonitor: { on() {} },
	powerSaveBlocker: {},
}));
const { createPresence } = await import('./presence.ts');

const words = wordsFor('en', []);
beforeEach(() => {
	system.keys.clear();
	system.taken.clear();
	system.asked.length = 0;
});

function rig(
	given: { shell?: 'electron' | 'stand-in'; settings?: Partial<Settings>; env?: NodeJS.ProcessEnv } = {},
) {
	const did: string[] = [];
	const told: ShellState[] = [];
	const clock = createManualClock();
	const presence = createPresence({
		portalBus: 'portal-bus.js',
		shell: given.shell ?? 'electron',
		settings: { values: () => ({ ...defaultSettings, ...given.settings }), write: () => ({}) as never },
		words: () => words,
		logs: '',
		env: given.env ?? {},
		log: silentLogger,
		run: (command) => void did.push(command),
		main: () => ({
			opened: Promise.resolve(),
			window: () => null,
			isShown: () => true,
			focus: () => void did.push('focus'),
			hide: () => void did.push('hide'),
			reload() {},
		}),
		end: (reason) => void did.push(`end ${reason}`),
		changed: (state) => void told.push(state),
		held() {},
		clock,
	});
	presence.refresh();
	return { presence, did, told, clock };
}

const leaves = (items: readonly Item[]): readonly Item[] =>
	items.flatMap((item) => (item.submenu ? leaves(item.submenu) : [item]));

test('the icon in the bar follows the conversation and its microphone', () => {
	const { presence } = rig();
	const shown = () => (system.trayMenu as readonly Item[]).map(({ label }) => label);
	expect(shown()).toEqual(expect.arrayContaining([words.tray.idle, words.tray.start]));
	presence.phase('live', false);
	expect(shown()).toEqual(expect.arrayContaining([words.tray.live, words.tray.stop, words.tray.mute]));
	presence.phase('live', true);
	expect(shown()).toEqual(expect.arrayContaining([words.tray.muted, words.tray.unmute]));
	presence.phase('idle', false);
	expect(shown()[0]).toBe(words.tray.idle);
});

test('the keys of the menu are those of the settings', () => {
	rig({ settings: { shortcuts: { 'start-stop': ['Mod+Shift+P'] } } });
	const keys = leaves(system.menu as readonly Item[]).flatMap(({ accelerator }) => accelerator ?? []);
	expect(keys).toContain('CmdOrCtrl+Shift+P');
	expect(keys).not.toContain('CmdOrCtrl+Enter');
});

test.runIf(process.platform === 'linux')(
	'the talk key that can be held in other programs is no key that switches as well; at the end all are given back',
	() => {
		const { presence } = rig({
			// Asked only while a conversation runs.
			env: { DISPLAY: ':65000' },
			settings: { globalKeys: true, shortcuts: { 'global.talk': ['Mod+Shift+F4'] } },
		});
		expect(presence.state().holds).toBe(true);
		expect(system.keys.has('CmdOrCtrl+Shift+F9')).toBe(true);
		expect(system.keys.has('CmdOrCtrl+Shift+F4')).toBe(false);
		presence.close();
		expect([...system.keys]).toEqual([]);
	},
);

test.runIf(process.platform === 'linux')(
	'the keyboard is looked at while a conversation runs, and at no other time',
	() => {
		const { presence, clock } = rig({
			env: { DISPLAY: ':65000' },
			settings: { globalKeys: true, talk: 'push-to-talk', shortcuts: { 'global.talk': ['Mod+Shift+F4'] } },
		});
		for (const end of ['idle', 'failed'] as const) {
			expect(clock.pending).toBe(0);
			presence.phase('live', false);
			expect(clock.pending).toBe(1);
			presence.phase(end, false);
		}
		expect(clock.pending).toBe(0);
		presence.close();
	},
);

test('keys that another program has are told', () => {
	system.taken.add('CmdOrCtrl+Shift+F9');
	const { told } = rig({ settings: { globalKeys: true } });
	expect(told).toMatchObject([{ revision: 1, refusedKeys: ['global.start-stop'] }]);
});

test('with “keep running”, closing the window asks nothing, and quitting asks', () => {
	const { presence, did } = rig({ settings: { closeLive: 'keep' } });
	presence.phase('live', false);
	presence.leave('window');
	expect([did, system.asked]).toEqual([['hide'], []]);
	presence.leave('quit');
	expect([did, system.asked]).toEqual([['hide'], [[words.close.quit, words.close.cancel]]]);
});

test('without an icon in the bar a live conversation is not hidden, whatever was chosen', () => {
	const { presence, did } = rig({ shell: 'stand-in', settings: { closeLive: 'keep' } });
	presence.phase('live', false);
	presence.leave('window');
	expect([did, system.asked]).toEqual([[], [[words.close.stop, words.close.cancel]]]);
});
