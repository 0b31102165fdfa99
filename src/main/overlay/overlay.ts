import type { Input, Output } from '#shared/host/contract.ts';
import type { OverlayLook, overlayAnnouncements } from '#shared/host/overlay.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { OverlayAbilities } from '#shared/overlay/abilities.ts';
import { emptyFrame, type OverlayFrame } from '#shared/overlay/frame.ts';
import { type Box, type DisplayArea, placeWindow, remember } from '#shared/overlay/placement.ts';
import { type OverlaySettings, windowSize } from '#shared/overlay/style.ts';
import type { Problem } from '#shared/problem.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** A window is dragged in many steps; only where it comes to rest is kept. */
const REST_MS = 400;

/** The window on the screen, however it is made. */
export interface OverlayWindow {
	/** Level, mouse, keyboard, screen shares. */
	apply(style: OverlaySettings): void;
	place(box: Box): void;
	tell<Name extends keyof typeof overlayAnnouncements>(name: Name, payload: Told[Name]): void;
	/** Nothing is heard of it afterwards. */
	close(): void;
}

interface Told {
	readonly 'overlay.look': OverlayLook;
	readonly 'overlay.frame': OverlayFrame;
}

export interface OverlayScreens {
	/** The primary one first. */
	displays(): readonly DisplayArea[];
	/** The one most of the box is on. */
	displayOf(box: Box): DisplayArea;
	/** One came, went or changed. Returns its removal. */
	listen(heard: () => void): Cancel;
}

export interface OverlayParts {
	readonly settings: {
		values(): Settings;
		write(patch: Partial<Settings>): unknown;
		listen(heard: () => void): Cancel;
	};
	readonly abilities: OverlayAbilities;
	readonly locales: () => readonly string[];
	readonly screens: OverlayScreens;
	readonly open: (
		style: OverlaySettings,
		box: Box,
		heard: {
			/** Moved or sized, by whomever. */
			moved(box: Box): void;
			/** The user closed it. */
			closed(): void;
		},
	) => OverlayWindow;
	readonly clock: Clock;
}

/** The answers to the requests of `shared/host/overlay.ts`. */
export interface OverlayAnswers {
	'overlay.show'(frame: Input<'overlay.show'>): Promise<Result<void, Problem>>;
	'overlay.abilities'(): Promise<Result<OverlayAbilities, Problem>>;
	'overlay.read'(): Promise<Result<Output<'overlay.read'>, Problem>>;
	'overlay.act'(input: Input<'overlay.act'>): Promise<Result<void, Problem>>;
}

/** The captions over other windows: there as long as the setting says so. */
export interface Overlay {
	readonly answers: OverlayAnswers;
	/** From now on it follows the settings; the first window may open at once. */
	begin(): void;
	/** The captions belong to a page that is gone. */
	pageGone(): void;
	/** With the program, and for good; the setting stays. */
	close(): void;
}

export function createOverlay(parts: OverlayParts): Overlay {
	const { settings, abilities, screens, clock } = parts;
	const ownSize = !abilities.floats;
	let window: OverlayWindow | null = null;
	let placed: Box | null = null;
	/** Where it rested last, and was asked to come whole inside its display. */
	let broughtBack: Box | null = null;
	let frame: OverlayFrame = emptyFrame;
	let look = lookNow(1);
	let ends: Cancel[] = [];
	let stopResting: Cancel = () => {};

	function lookNow(revision: number): OverlayLook {
		const { overlay, interfaceLanguage, motion } = settings.values();
		return { revision, style: overlay, abilities, interfaceLanguage, locales: [...parts.locales()], motion };
	}

	function box(): Box {
		const { overlay, overlayPlaces } = settings.values();
		const size = ({ workArea }: DisplayArea) => windowSize(overlay, workArea);
		return placeWindow({ displays: screens.displays(), places: overlayPlaces, size, ownSize });
	}

	function change(patch: Partial<OverlaySettings>): void {
		settings.write({ overlay: { ...settings.values().overlay, ...patch } });
	}

	function open(): void {
		placed = box();
		window = parts.open(look.style, placed, {
			moved,
			closed() {
				window = null;
				shut();
				change({ shown: false });
			},
		});
	}

	/** `moved` is heard for our own doing, too. */
	function moved(to: Box): void {
		stopResting();
		if (!placed || sameBox(to, placed) || settings.values().overlay.locked) return;
		stopResting = clock.after(REST_MS, () => {
			placed = to;
			const { overlayPlaces } = settings.values();
			settings.write({ overlayPlaces: [...remember(overlayPlaces, screens.displayOf(to), to, ownSize)] });
			// A system that leaves it there all the same is not asked again and again.
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
		answers: {
			async 'overlay.show'(next) {
				// Without a window it would only be kept, and captions are kept nowhere unasked.
				if (!window) return ok();
				frame = next;
				window.tell('overlay.frame', next);
				return ok();
			},
			'overlay.abilities': async () => ok(abilities),
			'overlay.read': async () => ok({ look, frame }),
			async 'overlay.act'({ act }) {
				const { size } = settings.values().overlay;
				if (act === 'close') change({ shown: false });
				else if (act === 'lock') change({ locked: true });
				else change({ size: Math.min(96, Math.max(14, size + (act === 'larger' ? 2 : -2))) });
				return ok();
			},
		},
		begin() {
			ends = [settings.listen(follow), screens.listen(settle)];
			follow();
		},
		pageGone() {
			frame = emptyFrame;
			window?.tell('overlay.frame', frame);
		},
		close() {
			for (const end of ends) end();
			ends = [];
			shut();
		},
	};
}

/** Systems round to whole pixels of the screen. */
function sameBox(one: Box, other: Box): boolean {
	return (['x', 'y', 'width', 'height'] as const).every((name) => Math.abs(one[name] - other[name]) <= 1);
}
