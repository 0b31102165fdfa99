import type { Session } from 'electron';
import type { Reach } from '#main/app/reach.ts';

/** Every request of the window's session is asked; main's own travel in a session of their own. */
export function guardRequests(session: Session, reach: Reach, refused: (host: string) => void): void {
	session.webRequest.onBeforeRequest(({ url }, answer) => {
		const cancel = !reach.mayReach(url);
		if (cancel) refused(URL.parse(url)?.host ?? '');
		answer({ cancel });
	});
}
