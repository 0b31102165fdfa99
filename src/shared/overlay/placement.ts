import { z } from 'zod/mini';
import type { OverlayName, Size } from './style.ts';

/** Position of the window: from the corner of the display's work area, DIP. */
export const OverlayPlace = z.lazy(() =>
	z.object({
		/** `id@scale`: each scale has its own position. */
		display: z.string().check(z.maxLength(80)),
		x: z.number(),
		y: z.number(),
		/** Only for an ordinary window, which the user can resize. */
		width: z.optional(z.number()),
		height: z.optional(z.number()),
	}),
);
export type OverlayPlace = z.infer<typeof OverlayPlace>;

/** The settings `overlayPlaces` and `audienceOverlayPlaces`: the last used position comes first. */
export const OverlayPlaces = z.array(OverlayPlace);

const MOST_PLACES = 16;
/**
 * Distance from the edge of the work area until the user moves the window, DIP. At the bottom it leaves room for
 * the buttons of a full-screen meeting: those of Google Meet take 80, those of Zoom and Webex less.
 */
const MARGIN = { top: 48, bottom: 96 };

export interface Box extends Size {
	readonly x: number;
	readonly y: number;
}

/** Initial position of a window that was never moved. */
export type Edge = 'top' | 'bottom';

/** The overlays never begin in the same place. */
export const initialEdge: { readonly [Name in OverlayName]: Edge } = { mine: 'bottom', audience: 'top' };

export interface DisplayArea {
	readonly id: number | string;
	readonly scale: number;
	/** The display without task bars, in the coordinates of all displays, DIP. */
	readonly workArea: Box;
}

export function displayKey({ id, scale }: Pick<DisplayArea, 'id' | 'scale'>): string {
	return `${id}@${scale}`;
}

/**
 * Where to show a window of this size: on the display where it was last used, if present, otherwise on the first
 * (the primary) display; at its remembered position there, otherwise centred at `edge`. Always fully inside the
 * work area. `ownSize`: the user sized the window, so a remembered size applies.
 */
export function placeWindow(options: {
	/** The primary display first; at least one. */
	readonly displays: readonly DisplayArea[];
	readonly places: readonly OverlayPlace[];
	readonly size: (display: DisplayArea) => Size;
	readonly ownSize?: boolean;
	/** Default: `bottom`. */
	readonly edge?: Edge;
	/** Until it has been moved, stay above this area if there is room: the main window's buttons. */
	readonly avoid?: Box | null;
}): Box {
	const { displays, places, size, ownSize = false, edge = 'bottom', avoid = null } = options;
	const last = places[0]?.display;
	const lastUsed =
		displays.find((display) => displayKey(display) === last) ??
		// At another scale the position differs, but the display is the same.
		displays.find(({ id }) => last?.startsWith(`${id}@`));
	const display = lastUsed ?? displays[0];
	if (!display) return { x: 0, y: 0, width: 600, height: 160 };
	const place = places.find((one) => one.display === displayKey(display));
	const wanted = size(display);
	const { workArea } = display;
	const width = Math.min(workArea.width, (ownSize && place?.width) || wanted.width);
	const height = Math.min(workArea.height, (ownSize && place?.height) || wanted.height);
	const x = place?.x ?? (workArea.width - width) / 2;
	const free = edge === 'top' ? MARGIN.top : workArea.height - height - MARGIN.bottom;
	const covers =
		avoid !== null &&
		avoid.x < workArea.x + x + width &&
		workArea.x + x < avoid.x + avoid.width &&
		avoid.y < workArea.y + free + height &&
		workArea.y + free < avoid.y + avoid.height;
	const y = place?.y ?? (covers ? avoid.y - workArea.y - height : free);
	return {
		x: Math.round(workArea.x + clamp(x, workArea.width - width)),
		y: Math.round(workArea.y + clamp(y, workArea.height - height)),
		width: Math.round(width),
		height: Math.round(height),
	};
}

function clamp(value: number, most: number): number {
	return Math.max(0, Math.min(value, Math.max(0, most)));
}

/** The list of positions with this one, set by the user, first. */
export function remember(
	places: readonly OverlayPlace[],
	display: DisplayArea,
	box: Box,
	ownSize = false,
): readonly OverlayPlace[] {
	const key = displayKey(display);
	const { workArea } = display;
	const place: OverlayPlace = {
		display: key,
		x: Math.round(box.x - workArea.x),
		y: Math.round(box.y - workArea.y),
		...(ownSize && { width: Math.round(box.width), height: Math.round(box.height) }),
	};
	return [place, ...places.filter((one) => one.display !== key)].slice(0, MOST_PLACES);
}

/** The overlay's abilities on this system; the settings page names the missing ones. */
export const OverlayAbilities = z.lazy(() =>
	z.object({
		/** Above other windows, positioned by us, without a frame; otherwise an ordinary window. */
		floats: z.boolean(),
		clickThrough: z.boolean(),
		/** Whether screen shares omit the window: `partly` = not in programs that use ScreenCaptureKit. */
		hides: z.enum(['yes', 'partly', 'no']),
		/** Why the window does not float. */
		because: z.nullable(z.enum(['wayland', 'browser'])),
	}),
);
export type OverlayAbilities = z.infer<typeof OverlayAbilities>;

export interface System {
	readonly shell: 'electron' | 'stand-in';
	/** The value of `process.platform`. */
	readonly platform: string;
	/** Whether windows use Wayland natively, not through XWayland. */
	readonly wayland: boolean;
}

/** See Electron 45's documentation of `setContentProtection` and `setAlwaysOnTop`. */
export function abilitiesOf({ shell, platform, wayland }: System): OverlayAbilities {
	if (shell === 'stand-in') return { floats: false, clickThrough: false, hides: 'no', because: 'browser' };
	if (platform === 'linux' && wayland)
		return { floats: false, clickThrough: false, hides: 'no', because: 'wayland' };
	const hides = platform === 'win32' ? 'yes' : platform === 'darwin' ? 'partly' : 'no';
	return { floats: true, clickThrough: true, hides, because: null };
}

/** Whether Chromium uses Wayland: the user's switch decides, otherwise the session type. */
export function usesWayland(env: Readonly<Record<string, string | undefined>>, ozone: string): boolean {
	if (ozone === 'x11') return false;
	if (ozone === 'wayland') return true;
	return env['XDG_SESSION_TYPE'] === 'wayland' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
}
