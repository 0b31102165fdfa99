import type { Session } from 'electron';
import { isOurs } from '#main/app/origin.ts';

/**
 * What the computer plays, for our own page alone and only while the user listens (Windows, and macOS from 14.2
 * on, where `NSAudioCaptureUsageDescription` must stand in Info.plist or nothing but zeros comes). A request
 * for video as well is given the page's own picture: the page never gets to see a screen.
 */
export function offerLoopback(
	session: Pick<Session, 'setDisplayMediaRequestHandler'>,
	listening: () => boolean,
): void {
	session.setDisplayMediaRequestHandler(
		({ frame, securityOrigin, audioRequested, videoRequested }, answer) => {
			const isTop = frame !== null && frame.parent === null;
			if (!isTop || !isOurs(securityOrigin) || !audioRequested || !listening()) return answer(null);
			answer(videoRequested ? { video: frame, audio: 'loopback' } : { audio: 'loopback' });
		},
	);
}
