import { expect, test, vi } from 'vitest';
import { drawTrayIcon, TRAY_SIZE, type TrayLook } from '#main/app/tray-icon.ts';
import { silentLogger } from '#shared/lib/log.ts';

/** The menus that were set, the newest last. */
const menus = vi.hoisted((): unknown[] => []);
// Electron's package would download its program when imported.
vi.mock('electron', () => ({
	Menu: { buildFromTemplate: (items: unknown) => items },
	Tray: class {
		on() {}
		setImage() {}
		setToolTip() {}
		setContextMenu(menu: unknown) {
			menus.push(menu);
		}
	},
	nativeImage: {
		createEmpty: () => ({ addRepresentation() {}, setTemplateImage() {} }),
		createFromBitmap: () => ({ toPNG: () => new Uint8Array() }),
	},
}));
const { createTray, trayModel } = await import('./tray.ts');
const { wordsFor } = await import('#main/app/words.ts');

const words = wordsFor('en', []);

function shown(phase: Parameters<typeof trayModel>[0]['phase'], muted = false) {
	const did: string[] = [];
	const actions = {
		run: (command: string) => void did.push(command),
		show: () => void did.push('show'),
		quit: () => void did.push('quit'),
	};
	return { did, ...trayModel({ phase, muted }, words, actions) };
}

test.each([
	['idle', false, 'idle'],
	['idle', true, 'idle'],
	['starting', false, 'idle'],
	['live', false, 'live'],
	['live', true, 'muted'],
	['paused', true, 'paused'],
	['failed', false, 'problem'],
] as const)('%s, muted %s: the icon shows %s and the text says it', (phase, muted, look) => {
	const model = shown(phase, muted);
	expect(model.look).toBe(look);
	const text = phase === 'starting' ? words.tray.working : words.tray[look];
	expect([model.tooltip, model.items[0]?.label]).toEqual([`Dragoman: ${text}`, text]);
});

test('every action of the tray does what it says', () => {
	const { items, did } = shown('live');
	for (const { click } of items) (click as (() => void) | undefined)?.();
	expect(did).toEqual([
		'start-stop',
		'mute',
		'pause',
		'talk-toggle',
		'overlay',
		'audience-overlay',
		'overlay-click-through',
		'show',
		'quit',
	]);
});

test('what it offers follows the state', () => {
	const labels = (phase: 'idle' | 'live' | 'paused' | 'failed' | 'starting', muted = false) =>
		shown(phase, muted).items.flatMap(({ label, enabled }) => (label && enabled !== false ? [label] : []));
	const { tray, menu } = words;
	expect(labels('idle')).toEqual([
		tray.start,
		tray.mute,
		menu.overlay,
		menu.audienceOverlay,
		menu.clickThrough,
		tray.show,
		menu.quit,
	]);
	expect(labels('live', true)).toEqual([
		tray.stop,
		tray.unmute,
		tray.pause,
		menu.talk,
		menu.overlay,
		menu.audienceOverlay,
		menu.clickThrough,
		tray.show,
		menu.quit,
	]);
	expect(labels('paused')).toContain(tray.resume);
	// Nothing is running that could be stopped.
	expect(labels('failed')).toEqual(labels('idle'));
	expect(labels('starting')).toEqual([
		tray.stop,
		tray.mute,
		menu.talk,
		menu.overlay,
		menu.audienceOverlay,
		menu.clickThrough,
		tray.show,
		menu.quit,
	]);
});

test('the menu of the icon is set whenever what it offers has changed', () => {
	const icon = createTray({ hasTray: true, clicked() {} }, silentLogger);
	const idle = shown('idle');
	const live = shown('live');
	for (const model of [idle, idle, live]) icon?.show(model);
	expect(menus).toEqual([idle.items, live.items]);
});

test('each state has a shape of its own, told apart without colour', () => {
	const looks: readonly TrayLook[] = ['idle', 'live', 'paused', 'muted', 'problem'];
	const shapes = looks.map((look) => drawTrayIcon(look, { scale: 1, mono: true }));
	for (const [index, one] of shapes.entries()) {
		expect(one.length).toBe(TRAY_SIZE * TRAY_SIZE * 4);
		for (const other of shapes.slice(index + 1)) {
			const differing = one.filter((value, at) => Math.abs(value - (other[at] ?? 0)) > 128).length;
			expect(differing).toBeGreaterThan(12);
		}
	}
});
