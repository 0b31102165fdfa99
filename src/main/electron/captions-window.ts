import { BrowserWindow, screen, type WebContents } from 'electron';
import { APP_ORIGIN } from '#main/app/guards.ts';
import type { OverlayScreens, OverlayWindow } from '#main/overlay/overlay.ts';
import { TELL } from '#shared/host/names.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Box, DisplayArea, OverlayAbilities } from '#shared/overlay/placement.ts';
import type { OverlayName, OverlaySettings } from '#shared/overlay/style.ts';
import { pagePreferences } from './windows.ts';

/** Windows still reports "always on top" for a window that was pushed down, so it is raised again at this interval. */
const REASSERT_MS = 1000;
const RELOADS = 3;
/** Height of the controls at the bottom of the main window at their tallest: two directions and a text field. */
const CONTROLS_PX = 300;

/** Ids of the web contents made here: global, like Electron's own list of windows. */
const overlays = new Set<number>();

/** True for the page of a captions overlay. Ids are never reused. */
export function isOverlay({ id }: Pick<WebContents, 'id'>): boolean {
	return overlays.has(id);
}

export function openCaptionsWindow(
	parts: {
		readonly name: OverlayName;
		readonly preload: string;
		readonly abilities: OverlayAbilities;
		readonly platform: string;
		readonly clock: Clock;
		readonly log: Logger;
	},
	style: OverlaySettings,
	box: Box,
	heard: { moved(box: Box): void; closed(): void },
): OverlayWindow {
	const { abilities, platform, clock, log } = parts;
	const { floats } = abilities;
	const scope = createScope(clock);
	const window = new BrowserWindow({
		...box,
		show: false,
		frame: !floats,
		transparent: floats,
		...(floats && { backgroundColor: '#00000000' }),
		hasShadow: !floats,
		// A transparent window cannot be sized by its edges; its size follows from the settings.
		resizable: !floats,
		maximizable: false,
		fullscreenable: false,
		skipTaskbar: floats,
		autoHideMenuBar: true,
		// Only a panel is shown over another program's full screen without taking our icon out of the Dock.
		...(platform === 'darwin' && { type: 'panel' }),
		focusable: isFocusable(style),
		// By default pages of one origin share their zoom, and the main window's would cut the lines off.
		webPreferences: { ...pagePreferences(parts.preload), zoomMode: 'disabled' },
	});
	overlays.add(window.webContents.id);
	let deaths = 0;
	let focusable = isFocusable(style);

	/** Raises the window: presentations lie above `floating`, and so does the task bar of Windows. */
	function rise(): void {
		window.setAlwaysOnTop(true, platform === 'linux' ? 'floating' : 'screen-saver');
	}

	/** Sets it only if it changes: on Windows even the same value takes the focus from the active window. */
	function setFocusable(next: boolean): void {
		if (next === focusable) return;
		focusable = next;
		window.setFocusable(next);
		// Set this again: otherwise Windows would show the window in the task bar again.
		window.setSkipTaskbar(true);
	}

	function apply(next: OverlaySettings): void {
		if (abilities.hides !== 'no') window.setContentProtection(next.hidden === true);
		if (!floats) return;
		// `forward` (the page still sees the pointer pass) does not exist on Linux.
		if (platform === 'linux') window.setIgnoreMouseEvents(next.clickThrough);
		else window.setIgnoreMouseEvents(next.clickThrough, { forward: true });
		setFocusable(isFocusable(next));
		window.setMovable(!next.locked);
	}

	function ended(): void {
		if (scope.closed) return;
		scope.close();
		heard.closed();
	}

	window.on('move', () => heard.moved(window.getBounds()));
	window.on('resize', () => heard.moved(window.getBounds()));
	// The user closed it with Alt+F4 or the X of an ordinary window; the stand-in then emits only `closed`.
	window.on('close', ended);
	window.on('closed', ended);
	window.webContents.on('render-process-gone', (_event, { reason }) => {
		log.error('captions window died', { reason });
		deaths += 1;
		if (deaths <= RELOADS && !window.isDestroyed()) window.webContents.reload();
	});
	apply(style);
	if (floats) {
		rise();
		if (platform !== 'win32') {
			window.setVisibleOnAllWorkspaces(true, { visibleOnFullScreen: true, skipTransformProcessType: true });
		} else scope.every(REASSERT_MS, rise);
	}
	window
		.loadURL(`${APP_ORIGIN}/overlay/index.html#${parts.name}`)
		// Show it without taking the keyboard focus.
		.then(() => scope.closed || window.showInactive())
		.catch(() => log.warn('captions window not loaded', {}));

	return {
		apply,
		place: (to) => window.setBounds(to),
		tell(name, payload) {
			if (!window.isDestroyed()) window.webContents.send(TELL, name, payload);
		},
		close() {
			if (scope.closed) return;
			scope.close();
			window.destroy();
		},
	};
}

/** A locked overlay is only for reading; one that lets clicks through cannot be reached anyway. */
function isFocusable({ locked, clickThrough }: OverlaySettings): boolean {
	return !locked && !clickThrough;
}

export function createScreens(): OverlayScreens {
	const area = ({ id, scaleFactor, workArea }: Electron.Display): DisplayArea => ({
		id,
		scale: scaleFactor,
		workArea,
	});
	return {
		displays() {
			const primary = screen.getPrimaryDisplay();
			const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id);
			return [primary, ...others].map(area);
		},
		controls() {
			const main = BrowserWindow.getAllWindows().find((one) => !isOverlay(one.webContents));
			if (!main?.isVisible() || main.isMinimized()) return null;
			const { x, y, width, height } = main.getBounds();
			const high = Math.min(height, CONTROLS_PX);
			return { x, y: y + height - high, width, height: high };
		},
		displayOf: (box) => area(screen.getDisplayMatching(box)),
		listen(heard) {
			screen.on('display-added', heard);
			screen.on('display-removed', heard);
			screen.on('display-metrics-changed', heard);
			return () => {
				screen.removeListener('display-added', heard);
				screen.removeListener('display-removed', heard);
				screen.removeListener('display-metrics-changed', heard);
			};
		},
	};
}
