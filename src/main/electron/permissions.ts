import type { Session } from 'electron';
import { APP_ORIGIN } from '#main/app/origin.ts';
import { mayGrant } from '#main/app/permissions.ts';
import { isOverlay } from './captions-window.ts';

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
		// The origin that asks has no path, but its contents tell which page it is.
		const from = contents && isOverlay(contents) ? `${APP_ORIGIN}/overlay/` : origin;
		return mayGrant({ permission, from, media, loopback: loopback(), capture: capture() });
	});
	session.setDevicePermissionHandler(() => false);
}
