import type { Settings } from '#shared/settings/schema.ts';
import type { Edge, OverlayPlace } from './placement.ts';
import type { OverlaySettings } from './style.ts';

/** The captions over other windows: for the person here, and for an audience watching the screen. */
export const overlayNames = ['mine', 'audience'] as const;
export type OverlayName = (typeof overlayNames)[number];

/** The settings of each, and its initial edge: never both in one place. */
const facts = {
	mine: { style: 'overlay', places: 'overlayPlaces', edge: 'bottom' },
	audience: { style: 'audienceOverlay', places: 'audienceOverlayPlaces', edge: 'top' },
} as const satisfies {
	readonly [Name in OverlayName]: { style: keyof Settings; places: keyof Settings; edge: Edge };
};

export function overlayStyle(settings: Settings, name: OverlayName): OverlaySettings {
	return settings[facts[name].style];
}

export function overlayPlaces(settings: Settings, name: OverlayName): readonly OverlayPlace[] {
	return settings[facts[name].places];
}

export function overlayEdge(name: OverlayName): Edge {
	return facts[name].edge;
}

/** The settings patch that changes the look or behaviour of one. */
export function overlayPatch(
	settings: Settings,
	name: OverlayName,
	change: Partial<OverlaySettings>,
): Partial<Settings> {
	return { [facts[name].style]: { ...settings[facts[name].style], ...change } };
}

export function placesPatch(name: OverlayName, places: readonly OverlayPlace[]): Partial<Settings> {
	return { [facts[name].places]: [...places] };
}

export function isAnyShown(settings: Settings): boolean {
	return overlayNames.some((name) => overlayStyle(settings, name).shown);
}
