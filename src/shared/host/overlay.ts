import { z } from 'zod/mini';
import { OverlayFrame } from '#shared/overlay/frames.ts';
import { OverlayAbilities } from '#shared/overlay/placement.ts';
import { OverlaySettings, overlayNames } from '#shared/overlay/style.ts';
import { settingsShape } from '#shared/settings/schema.ts';

/** Messages between main, the window and the captions over other windows. */

const nothing = z.undefined();
/** Which of the two overlays a page is, from its address after `#`. */
const which = z.enum(overlayNames);

/** All that the overlay's own page ever gets of the settings. */
export const OverlayLook = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		style: OverlaySettings,
		abilities: OverlayAbilities,
		interfaceLanguage: settingsShape.interfaceLanguage,
		/** BCP 47 tags of the system, first preferred. */
		locales: z.array(z.string()),
		motion: settingsShape.motion,
	}),
);
export type OverlayLook = z.infer<typeof OverlayLook>;

export const overlayRequests = {
	/** From the window: the newest captions, for both overlays and for guests. Dropped if there is none of them. */
	'overlay.show': { input: OverlayFrame, output: nothing },
	/** From the window: what the system lets the overlay do. */
	'overlay.abilities': { input: nothing, output: OverlayAbilities },
	/** From the overlay: everything it needs to start. */
	'overlay.read': {
		input: z.object({ which }),
		output: z.object({ look: OverlayLook, frame: OverlayFrame }),
	},
	/** From the overlay: its own buttons. */
	'overlay.act': {
		input: z.object({ which, act: z.enum(['close', 'lock', 'smaller', 'larger']) }),
		output: nothing,
	},
} as const;

export const overlayAnnouncements = {
	'overlay.look': OverlayLook,
	'overlay.frame': OverlayFrame,
} as const;

/** The only requests that the overlay's page may make; all others are the window's. */
export const overlayMayAsk: readonly string[] = ['overlay.read', 'overlay.act'];
