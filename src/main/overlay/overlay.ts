import type { Input, Output } from '#shared/host/contract.ts';
import type { OverlayLook, overlayAnnouncements } from '#shared/host/overlay.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import { emptyFrame, type OverlayFrame } from '#shared/overlay/frames.ts';
import {
	type Box,
	type DisplayArea,
	initialEdge,
	type OverlayAbilities,
	placeWindow,
	remember,
} from '#shared/overlay/placement.ts';
import {
	OVERLAY_SIZE_PX,
	type OverlayName,
	type OverlaySettings,
	overlayNames,
	overlayPatch,
	overlayPlaces,
	overlayStyle,
	placesPatch,
	windowSize,
} from '#shared/overlay/style.ts';
import type { Problem } from '#shared/problem.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** Dragging a window reports many positions; store only the last one, after this pause. */
const REST_MS = 400;

/** The window on the screen, whatever implements it. */
export interface OverlayWindow {
	/** Applies level, mouse, keyboard and screen sharing. */
	apply(style: OverlaySettings): void;
	place(box: Box): void;
	tell<Name extends keyof typeof overlayAnnouncements>(name: Name, payload: Told[Name]): void;
	/** Closes the window; no event comes from it afterwards. */
	close(): void;
}

interface Told {
	readonly 'overlay.look': OverlayLook;
	readonly 'overlay.frame': OverlayFrame;
}

export interface OverlayScreens {
	/** All displays, the primary one first. */
	displays(): readonly DisplayArea[];
	/** The area of the main window's buttons, such as Stop; null = it is not shown. */
	controls(): Box | null;
	/** The display that contains most of the box. */
	displayOf(box: Box): DisplayArea;
	/** Calls back when a display came, went or changed. The returned function removes the listener. */
	listen(heard: () => void): Cancel;
}

export interface OverlayParts {
	readonly name: OverlayName;
	readonly settings: {
		values(): Settings;
		write(patch: Partial<Settings>): unknown;
		listen(heard: () => void): Cancel;
	};
	readonly abilities: OverlayAbilities;
	readonly locales: () => readonly string[];
	readonly screens: OverlayScreens;
	readonly open: (
		name: OverlayName,
		style: OverlaySettings,
		box: Box,
		heard: {
			/** Called when the window was moved or resized, by whatever cause. */
			moved(box: Box): void;
			closed(): void;
		},
	) => OverlayWindow;
	readonly clock: Clock;
}

type Overlay = ReturnType<typeof createOverlay>;

/** One of the two captions windows: open while its setting is on. */
function createOverlay(parts: OverlayParts) {
	const { name, settings, abilities, screens, clock } = parts;
	const ownSize = !abilities.floats;
	let window: OverlayWindow | null = null;
	let placed: Box | null = null;
	/** The place where it last came to rest before it was moved wholly inside its display. */
	let broughtBack: Box | null = null;
	let frame: OverlayFrame = emptyFrame;
	let look = lookNow(1);
	let ends: Cancel[] = [];
	let stopResting: Cancel = () => {};

	function style(): OverlaySettings {
		return overlayStyle(settings.values(), name);
	}

	function lookNow(revision: number): OverlayLook {
		const { interfaceLanguage, motion } = settings.values();
		const locales = [...parts.locales()];
		return { revision, style: style(), abilities, interfaceLanguage, locales, motion };
	}

	function box(): Box {
		const size = ({ workArea }: DisplayArea) => windowSize(style(), workArea);
		const places = overlayPlaces(settings.values(), name);
		const on = { displays: screens.displays(), avoid: screens.controls() };
		return placeWindow({ ...on, places, size, ownSize, edge: initialEdge[name] });
	}

	function change(patch: Partial<OverlaySettings>): void {
		settings.write(overlayPatch(settings.values(), name, patch));
	}

	function open(): void {
		placed = box();
		window = parts.open(name, look.style, placed, {
			moved,
			closed() {
				window = null;
				shut();
				change({ shown: false });
			},
		});
	}

	/** Called for our own moves, too. */
	function moved(to: Box): void {
		stopResting();
		if (!placed || sameBox(to, placed) || style().locked) return;
		stopResting = clock.after(REST_MS, () => {
			placed = to;
			const places = overlayPlaces(settings.values(), name);
			settings.write(placesPatch(name, remember(places, screens.displayOf(to), to, ownSize)));
			// Do not try again and again on a system that leaves the window there.
			if (broughtBack && sameBox(broughtBack, to)) return;
			broughtBack = to;
			settle();
		});
	}

	function shut(): void {
		stopResting();
		window?.close();
		window = null;
		frame = emptyFrame;
	}

	function settle(): void {
		const next = box();
		if (!window || (placed && sameBox(next, placed))) return;
		stopResting();
		placed = next;
		window.place(next);
	}

	function follow(): void {
		const next = lookNow(look.revision + 1);
		const changed = JSON.stringify({ ...next, revision: look.revision }) !== JSON.stringify(look);
		if (changed) look = next;
		if (!look.style.shown) {
			shut();
			return;
		}
		if (!window) {
			open();
			return;
		}
		if (!changed) return;
		window.apply(look.style);
		settle();
		window.tell('overlay.look', look);
	}

	return {
		show(next: OverlayFrame): void {
			// Without a window the frame would only be stored, and captions are never stored unasked.
			if (!window) return;
			frame = next;
			window.tell('overlay.frame', next);
		},
		read: (): Output<'overlay.read'> => ({ look, frame }),
		act(what: Input<'overlay.act'>['act']): void {
			const { size } = style();
			if (what === 'close') change({ shown: false });
			else if (what === 'lock') change({ locked: true });
			else {
				const { smallest, largest } = OVERLAY_SIZE_PX;
				change({ size: Math.min(largest, Math.max(smallest, size + (what === 'larger' ? 2 : -2))) });
			}
		},
		/** Starts following the settings; the window may open at once. */
		begin(): void {
			ends = [settings.listen(follow), screens.listen(settle)];
			follow();
		},
		/** The page has gone: its captions are no longer shown. */
		pageGone(): void {
			frame = emptyFrame;
			window?.tell('overlay.frame', frame);
		},
		/** Closes the window for good, when the program ends; the setting stays. */
		close(): void {
			for (const end of ends) end();
			ends = [];
			shut();
		},
	};
}

/** Compares with a tolerance, because systems round to whole pixels of the screen. */
function sameBox(one: Box, other: Box): boolean {
	return (['x', 'y', 'width', 'height'] as const).every((name) => Math.abs(one[name] - other[name]) <= 1);
}

/** The answers to the requests of `shared/host/overlay.ts`. */
export interface OverlayAnswers {
	'overlay.show'(frame: Input<'overlay.show'>): Promise<Result<void, Problem>>;
	'overlay.abilities'(): Promise<Result<OverlayAbilities, Problem>>;
	'overlay.read'(input: Input<'overlay.read'>): Promise<Result<Output<'overlay.read'>, Problem>>;
	'overlay.act'(input: Input<'overlay.act'>): Promise<Result<void, Problem>>;
}

/** The captions over other windows, both of them. */
export interface Overlays extends Pick<Overlay, 'begin' | 'pageGone' | 'close'> {
	readonly answers: OverlayAnswers;
}

export function createOverlays(parts: Omit<OverlayParts, 'name'>): Overlays {
	const overlays: { readonly [Name in OverlayName]: Overlay } = {
		mine: createOverlay({ ...parts, name: 'mine' }),
		audience: createOverlay({ ...parts, name: 'audience' }),
	};
	function each(run: (overlay: Overlay) => void): void {
		for (const name of overlayNames) run(overlays[name]);
	}
	return {
		answers: {
			'overlay.show': async (frame) => ok(each((overlay) => overlay.show(frame))),
			'overlay.abilities': async () => ok(parts.abilities),
			'overlay.read': async ({ which }) => ok(overlays[which].read()),
			'overlay.act': async ({ which, act }) => ok(overlays[which].act(act)),
		},
		begin: () => each((overlay) => overlay.begin()),
		pageGone: () => each((overlay) => overlay.pageGone()),
		close: () => each((overlay) => overlay.close()),
	};
}
