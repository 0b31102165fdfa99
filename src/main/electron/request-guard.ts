import type { Session } from 'electron';
import type { Reach } from '#main/app/reach.ts';

/** Checks every request of the window's session; main's own requests use a session of their own. */
export function guardRequests(session: Session, reach: Reach, refused: (host: string) => void): void {
	session.webRequest.onBeforeRequest(({ url }, answer) => {
		const cancel = !reach.mayReach(url);
		if (cancel) refused(URL.parse(url)?.host ?? '');
		answer({ cancel });
	});
}
