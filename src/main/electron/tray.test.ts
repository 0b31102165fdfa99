import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { drawTrayIcon, TRAY_SIZE, type TrayLook } from './tray.ts';

/** What the icon was given, the newest last: pixels of its image, what it says, its menu; and what is listened to. */
const bar = vi.hoisted(() => ({
	images: [] as Uint8Array[],
	texts: [] as string[],
	menus: [] as unknown[],
	heard: [] as string[],
}));
// Electron's package would download its program when imported.
vi.mock('electron', () => {
	interface Image {
		pixels: Uint8Array;
	}
	const keep = ({ pixels }: Image) => void bar.images.push(pixels);
	return {
		Menu: { buildFromTemplate: (items: unknown) => items },
		Tray: class {
			setImage = keep;
			constructor(image: Image) {
				keep(image);
			}
			on(event: string) {
				bar.heard.push(event);
			}
			setToolTip(text: string) {
				bar.texts.push(text);
			}
			setContextMenu(menu: unknown) {
				bar.menus.push(menu);
			}
		},
		nativeImage: {
			createEmpty: () => ({
				pixels: new Uint8Array() as Uint8Array,
				addRepresentation({ scaleFactor, buffer }: { scaleFactor: number; buffer: Uint8Array }) {
					if (scaleFactor === 1) this.pixels = buffer;
				},
				setTemplateImage() {},
			}),
			createFromBitmap: (pixels: Uint8Array) => ({ toPNG: () => pixels }),
		},
	};
});
const { createTray, trayModel } = await import('./tray.ts');
const { wordsFor } = await import('#main/app/words.ts');

const { platform } = process;
const on = (value: string) => void Object.defineProperty(process, 'platform', { value });
beforeEach(() => {
	for (const list of Object.values(bar)) list.length = 0;
});
afterEach(() => on(platform));

const words = wordsFor('en', []);
const create = () => createTray({ hasTray: true, clicked() {} }, silentLogger);

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

test('updates the tray menu whenever its items change', () => {
	const icon = create();
	const idle = shown('idle');
	const live = shown('live');
	for (const model of [idle, idle, live]) icon?.show(model);
	expect(bar.menus).toEqual([idle.items, live.items]);
});

test.each([
	['live', false, 'live'],
	['live', true, 'muted'],
	['paused', false, 'paused'],
	['failed', false, 'problem'],
] as const)('%s, muted %s: what is in the bar looks %s and says it', (phase, muted, look) => {
	on('linux');
	const icon = create();
	const model = shown(phase, muted);
	icon?.show(model);
	const pixels = drawTrayIcon(look, { scale: 1, mono: false });
	expect(Buffer.compare(bar.images.at(-1) ?? new Uint8Array(), pixels)).toBe(0);
	expect(bar.texts).toEqual([model.tooltip]);
});

test.each([
	['linux', ['click']],
	['win32', ['click']],
	['darwin', []],
] as const)('what is listened to at the icon on %s: %j; a Mac opens the menu with a click', (name, heard) => {
	on(name);
	create();
	expect(bar.heard).toEqual(heard);
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
