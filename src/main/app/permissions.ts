import { APP_ORIGIN, isOurs } from './origin.ts';

const ALWAYS = new Set(['speaker-selection', 'clipboard-sanitized-write', 'fullscreen']);
/** Chromium asks for these before a page may reach a service on this computer (the sandbox). */
const LOOPBACK = new Set(['local-network-access', 'loopback-network', 'local-network']);

export interface Asked {
	readonly permission: string;
	/** Address of the page that asks. */
	readonly from: string;
	/** What kinds of media, when `permission` is `media`; empty when unknown. */
	readonly media: readonly string[];
	readonly loopback: boolean;
	/** The user listens to what the computer plays. */
	readonly capture?: boolean;
}

/** Electron grants everything by itself; we grant what an interpreter needs, to our own page only. */
export function mayGrant({ permission, from, media, loopback, capture }: Asked): boolean {
	if (!isOurs(from)) return false;
	// The captions overlay only displays.
	if (from.startsWith(`${APP_ORIGIN}/overlay/`)) return false;
	// A request that names no kind could be for the camera.
	if (permission === 'media') return media.length > 0 && media.every((kind) => kind === 'audio');
	if (LOOPBACK.has(permission)) return loopback;
	// Answered with sound alone (`loopback-audio.ts`).
	if (permission === 'display-capture') return capture === true;
	return ALWAYS.has(permission);
}
