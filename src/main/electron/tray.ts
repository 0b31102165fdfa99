import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import { drawTrayIcon, TRAY_SIZE, type TrayLook } from '#main/app/tray-icon.ts';
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
	/** The window, to the front. */
	show(): void;
	quit(): void;
}

export interface TrayModel {
	readonly look: TrayLook;
	/** Says what the icon shows. */
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

/** Null where there is no tray: the same actions are in the window and its menu. */
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
	// A Mac opens the menu with a click.
	if (!isMac) tray.on('click', clicked);

	return {
		show(model) {
			const next = JSON.stringify([model.tooltip, model.items]);
			if (next === shown) return;
			shown = next;
			tray.setImage(image(model.look));
			tray.setToolTip(model.tooltip);
			// Linux does not show a menu that was changed in place, so it is set anew.
			tray.setContextMenu(Menu.buildFromTemplate([...model.items]));
		},
		close: () => tray.destroy(),
	};
}
