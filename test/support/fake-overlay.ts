import type { OverlayParts, OverlayScreens } from '#main/overlay/overlay.ts';
import type { Box, DisplayArea } from '#shared/overlay/placement.ts';

export interface FakeOverlayWindow {
	readonly open: OverlayParts['open'];
	/** The calls to it, in order. */
	readonly did: (readonly [string, ...unknown[]])[];
	/** Where it stands; null = it is not open. */
	box(): Box | null;
	/** As the user does. */
	drag(to: Partial<Box>): void;
	pressX(): void;
}

/** A window of captions without a screen. */
export function createFakeOverlayWindow(): FakeOverlayWindow {
	const did: (readonly [string, ...unknown[]])[] = [];
	let box: Box | null = null;
	let heard: Parameters<OverlayParts['open']>[3] | null = null;
	return {
		did,
		box: () => box,
		open(_name, style, at, events) {
			did.push(['open', style.size]);
			box = at;
			heard = events;
			return {
				apply: (next) => void did.push(['apply', next.size, next.locked]),
				place(to) {
					did.push(['place']);
					box = to;
					heard?.moved(to);
				},
				tell: (name, payload) => void did.push([name, payload]),
				close() {
					did.push(['close']);
					box = null;
					heard = null;
				},
			};
		},
		drag(to) {
			if (!box) throw new Error('it is not open');
			box = { ...box, ...to };
			heard?.moved(box);
		},
		pressX() {
			const told = heard;
			heard = null;
			box = null;
			told?.closed();
		},
	};
}

export interface FakeScreens extends OverlayScreens {
	/** Where the main window has its buttons from now on. */
	cover(box: Box): void;
	/** Displays were plugged or unplugged; the first is the primary. */
	change(displays: readonly DisplayArea[]): void;
}

export const laptop: DisplayArea = {
	id: 1,
	scale: 2,
	workArea: { x: 0, y: 25, width: 1440, height: 875 },
};
export const monitor: DisplayArea = {
	id: 2,
	scale: 1,
	workArea: { x: 1440, y: 0, width: 2560, height: 1440 },
};

export function createFakeScreens(first: readonly DisplayArea[] = [laptop]): FakeScreens {
	let displays = first;
	let controls: Box | null = null;
	const listeners = new Set<() => void>();
	return {
		displays: () => displays,
		controls: () => controls,
		cover(box) {
			controls = box;
		},
		displayOf: ({ x }) => displays.find(({ workArea }) => x < workArea.x + workArea.width) ?? laptop,
		listen(heard) {
			listeners.add(heard);
			return () => void listeners.delete(heard);
		},
		change(next) {
			displays = next;
			for (const heard of [...listeners]) heard();
		},
	};
}
