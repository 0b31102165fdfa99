import { z } from 'zod/mini';
import { OverlayFrame } from '#shared/overlay/frames.ts';
import { OverlayAbilities } from '#shared/overlay/placement.ts';
import { OverlaySettings, overlayNames } from '#shared/overlay/style.ts';
import { settingsShape } from '#shared/settings/schema.ts';

/** Messages between main, the window and the captions over other windows. */

const nothing = z.undefined();
/** Which of the two overlays a page shows, given after the `#` of its address. */
const which = z.enum(overlayNames);

/** The only settings that the overlay's own page receives. */
export const OverlayLook = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower revision is outdated. */
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
	/**
	 * From the window: the newest captions, for both overlays and for guests. Dropped if none of these exists.
	 */
	'overlay.show': { input: OverlayFrame, output: nothing },
	/** From the window: asks which abilities the overlay has on this system. */
	'overlay.abilities': { input: nothing, output: OverlayAbilities },
	/** From the overlay: requests everything it needs to start. */
	'overlay.read': {
		input: z.object({ which }),
		output: z.object({ look: OverlayLook, frame: OverlayFrame }),
	},
	/** From the overlay: its own buttons were used. */
	'overlay.act': {
		input: z.object({ which, act: z.enum(['close', 'lock', 'smaller', 'larger']) }),
		output: nothing,
	},
} as const;

export const overlayAnnouncements = {
	'overlay.look': OverlayLook,
	'overlay.frame': OverlayFrame,
} as const;

/** The only requests that the overlay's page may make; all others are reserved for the window. */
export const overlayMayAsk: readonly string[] = ['overlay.read', 'overlay.act'];
