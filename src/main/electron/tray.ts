import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import type { Words } from '#main/app/words.ts';
import type { PhaseReport } from '#shared/host/contract.ts';
import type { AnnouncedCommand } from '#shared/keys/commands.ts';
import type { Logger } from '#shared/lib/log.ts';

export interface TrayState {
	readonly phase: PhaseReport;
	readonly muted: boolean;
}

export interface TrayActions {
	run(command: AnnouncedCommand): void;
	show(): void;
	quit(): void;
}

export interface TrayModel {
	readonly look: TrayLook;
	readonly tooltip: string;
	readonly items: readonly MenuItemConstructorOptions[];
}

export function trayModel(
	{ phase, muted }: TrayState,
	words: Pick<Words, 'tray' | 'menu'>,
	actions: TrayActions,
): TrayModel {
	const { tray, menu } = words;
	const runs = phase !== 'idle' && phase !== 'failed';
	const look = lookOf({ phase, muted });
	const state = runs && look === 'idle' ? tray.working : tray[look];
	const item = (label: string, click: () => void, enabled = true) => ({ label, click, enabled });
	return {
		look,
		tooltip: `${menu.app}: ${state}`,
		items: [
			{ label: state, enabled: false },
			{ type: 'separator' },
			item(runs ? tray.stop : tray.start, () => actions.run('start-stop')),
			item(muted ? tray.unmute : tray.mute, () => actions.run('mute')),
			item(
				phase === 'paused' ? tray.resume : tray.pause,
				() => actions.run('pause'),
				phase === 'live' || phase === 'paused',
			),
			item(menu.talk, () => actions.run('talk-toggle'), runs),
			{ type: 'separator' },
			item(menu.overlay, () => actions.run('overlay')),
			item(menu.audienceOverlay, () => actions.run('audience-overlay')),
			item(menu.clickThrough, () => actions.run('overlay-click-through')),
			{ type: 'separator' },
			item(tray.show, actions.show),
			item(menu.quit, actions.quit),
		],
	};
}

function lookOf({ phase, muted }: TrayState): TrayLook {
	if (phase === 'failed') return 'problem';
	if (phase === 'paused') return 'paused';
	if (muted && phase !== 'idle') return 'muted';
	return phase === 'live' ? 'live' : 'idle';
}

export interface TrayIcon {
	show(model: TrayModel): void;
	close(): void;
}

/** Null if there is no tray: the same actions are in the window and its menu. */
export function createTray(
	{ hasTray, clicked }: { readonly hasTray: boolean; readonly clicked: () => void },
	log: Logger,
): TrayIcon | null {
	if (!hasTray) return null;
	const isMac = process.platform === 'darwin';
	let shown = '';

	function image(look: TrayLook): Electron.NativeImage {
		const made = nativeImage.createEmpty();
		for (const scaleFactor of [1, 2]) {
			const size = TRAY_SIZE * scaleFactor;
			const pixels = Buffer.from(drawTrayIcon(look, { scale: scaleFactor, mono: isMac }));
			const bitmap = nativeImage.createFromBitmap(pixels, { width: size, height: size });
			made.addRepresentation({ scaleFactor, width: size, height: size, buffer: bitmap.toPNG() });
		}
		made.setTemplateImage(isMac);
		return made;
	}

	let tray: Tray;
	try {
		tray = new Tray(image('idle'));
	} catch (failure) {
		log.warn('no tray', { failure: String(failure) });
		return null;
	}
	// On a Mac, a click already opens the menu.
	if (!isMac) tray.on('click', clicked);

	return {
		show(model) {
			const next = JSON.stringify([model.tooltip, model.items]);
			if (next === shown) return;
			shown = next;
			tray.setImage(image(model.look));
			tray.setToolTip(model.tooltip);
			// Linux does not show a menu that was changed in place, so set it again.
			tray.setContextMenu(Menu.buildFromTemplate([...model.items]));
		},
		close: () => tray.destroy(),
	};
}

export type TrayLook = 'idle' | 'live' | 'paused' | 'muted' | 'problem';

/** CSS px; drawn twice as large for dense displays as well. */
export const TRAY_SIZE = 16;
const SAMPLES = 4;

type Shape = (x: number, y: number) => boolean;
const inRing: Shape = (x, y) => Math.hypot(x, y) <= 7 && Math.hypot(x, y) >= 5;
const inDisc: Shape = (x, y) => Math.hypot(x, y) <= 7;
const inBars: Shape = (x, y) => Math.abs(y) <= 3 && Math.abs(Math.abs(x) - 1.75) <= 1;
const onStroke: Shape = (x, y) => Math.abs(x + y) <= 1.6 && Math.hypot(x, y) <= 8;
const besideStroke: Shape = (x, y) => Math.abs(x + y) <= 3.4;
const inTriangle: Shape = (x, y) => y <= 6.5 && y >= 2 * Math.abs(x) - 7.5;
const inSign: Shape = (x, y) => Math.abs(x) <= 1 && ((y >= -3 && y <= 2) || (y >= 3.4 && y <= 5.2));

/** Each state has its own shape, so that colour is never the only sign. */
const shapes: { readonly [Look in TrayLook]: Shape } = {
	idle: inRing,
	live: inDisc,
	paused: (x, y) => inRing(x, y) || inBars(x, y),
	muted: (x, y) => onStroke(x, y) || (inDisc(x, y) && !besideStroke(x, y)),
	problem: (x, y) => inTriangle(x, y) && !inSign(x, y),
};

/** BGRA; readable on a light and on a dark bar. */
const colours: { readonly [Look in TrayLook]: readonly [number, number, number] } = {
	idle: [0x9a, 0x9a, 0x9a],
	live: [0x6b, 0xa0, 0x1f],
	paused: [0x9a, 0x9a, 0x9a],
	muted: [0x3b, 0x45, 0xd9],
	problem: [0x1e, 0x8a, 0xe6],
};

/** Pixels, rows from the top, premultiplied BGRA as `createFromBitmap` takes them. `mono`: black, for a Mac. */
export function drawTrayIcon(
	look: TrayLook,
	{ scale, mono }: { readonly scale: number; readonly mono: boolean },
): Uint8Array {
	const size = TRAY_SIZE * scale;
	const pixels = new Uint8Array(size * size * 4);
	const colour = mono ? ([0, 0, 0] as const) : colours[look];
	for (let row = 0; row < size; row++) {
		for (let column = 0; column < size; column++) {
			const share = coverage(shapes[look], column / scale, row / scale, 1 / scale);
			const at = (row * size + column) * 4;
			for (const [index, value] of colour.entries()) pixels[at + index] = Math.round(value * share);
			pixels[at + 3] = Math.round(255 * share);
		}
	}
	return pixels;
}

/** How much of a pixel the shape covers, 0 to 1. */
function coverage(shape: Shape, left: number, top: number, width: number): number {
	let inside = 0;
	for (let one = 0; one < SAMPLES * SAMPLES; one++) {
		const x = left + (((one % SAMPLES) + 0.5) / SAMPLES) * width - TRAY_SIZE / 2;
		const y = top + ((Math.floor(one / SAMPLES) + 0.5) / SAMPLES) * width - TRAY_SIZE / 2;
		if (shape(x, y)) inside += 1;
	}
	return inside / (SAMPLES * SAMPLES);
}
