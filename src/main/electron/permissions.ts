import type { Session } from 'electron';
import { APP_ORIGIN } from './app-protocol.ts';
import { isOverlay } from './captions-window.ts';

const ALWAYS = new Set(['speaker-selection', 'clipboard-sanitized-write', 'fullscreen']);
/** Chromium asks for these before a page may reach a service on this computer (the sandbox). */
const LOOPBACK = new Set(['local-network-access', 'loopback-network', 'local-network']);

/** Our own page, whatever its path. */
export function isOurs(address: string): boolean {
	return address === APP_ORIGIN || address.startsWith(`${APP_ORIGIN}/`);
}

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
	// The captions over other windows only show.
	if (from.startsWith(`${APP_ORIGIN}/overlay/`)) return false;
	// Asked for nothing in particular, it could be the camera.
	if (permission === 'media') return media.length > 0 && media.every((kind) => kind === 'audio');
	if (LOOPBACK.has(permission)) return loopback;
	// Answered with sound alone (`loopback-audio.ts`).
	if (permission === 'display-capture') return capture === true;
	return ALWAYS.has(permission);
}

/** `loopback`: may the service be on this computer? `capture`: does the user listen to what it plays? */
export function guardPermissions(
	session: Session,
	loopback: () => boolean,
	capture: () => boolean = () => false,
): void {
	session.setPermissionRequestHandler((contents, permission, answer, details) => {
		const media = 'mediaTypes' in details ? (details.mediaTypes ?? []) : [];
		const from = details.isMainFrame ? contents.getURL() : '';
		answer(mayGrant({ permission, from, media, loopback: loopback(), capture: capture() }));
	});
	session.setPermissionCheckHandler((contents, permission, origin, details) => {
		const media = details.mediaType && details.mediaType !== 'unknown' ? [details.mediaType] : [];
		// What asks has no path in its origin, but its contents have one.
		const from = contents && isOverlay(contents) ? `${APP_ORIGIN}/overlay/` : origin;
		return mayGrant({ permission, from, media, loopback: loopback(), capture: capture() });
	});
	session.setDevicePermissionHandler(() => false);
}
