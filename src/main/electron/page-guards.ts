import { app, type Session, session } from 'electron';
import { type FirstPicture, withFirstPicture } from '#main/app/first-picture.ts';
import { APP_ORIGIN, contentPolicy, isOurs, mayGrant, type Reach, styleHashes } from '#main/app/guards.ts';
import type { Logger } from '#shared/lib/log.ts';
import { serveApp } from './app-protocol.ts';
import { isOverlay } from './captions-window.ts';
import type { BrowserOpener } from './open-in-browser.ts';

/** `loopback`: may the service be on this computer? `capture`: does the user listen to the computer's sound? */
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
		// The requesting origin has no path, but the web contents show which page it is.
		const from = contents && isOverlay(contents) ? `${APP_ORIGIN}/overlay/` : origin;
		return mayGrant({ permission, from, media, loopback: loopback(), capture: capture() });
	});
	session.setDevicePermissionHandler(() => false);
}

/**
 * Offers the computer's sound to our own page alone, and only while the user listens (Windows, and macOS from
 * 14.2 on, where Info.plist must contain `NSAudioCaptureUsageDescription`, or all samples are zero). A
 * request that includes video gets the page's own picture: the page never sees a screen.
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

/** Checks every request of the window's session; main's own requests use a session of their own. */
export function guardRequests(session: Session, reach: Reach, refused: (host: string) => void): void {
	session.webRequest.onBeforeRequest(({ url }, answer) => {
		const cancel = !reach.mayReach(url);
		if (cancel) refused(URL.parse(url)?.host ?? '');
		answer({ cancel });
	});
}

/** Addresses the window may ask to have opened in the user's browser: where keys come from, and our own page. */
const OUTSIDE: readonly string[] = [
	'www.palabra.ai',
	'palabra.ai',
	'docs.palabra.ai',
	'app.palabra.ai',
	'platform.palabra.ai',
];

/** True if this address may be opened outside: encrypted, a host we know, no user name in it. */
export function mayOpenOutside(address: string): boolean {
	const url = URL.parse(address);
	if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.port !== '')
		return false;
	return OUTSIDE.includes(url.hostname);
}

/** Blocks navigation, other windows and embedded pages; `outside` opens the addresses that are allowed. */
export function guardNavigation(outside: BrowserOpener): void {
	app.on('web-contents-created', (_event, contents) => {
		contents.on('will-navigate', (event) => event.preventDefault());
		contents.on('will-frame-navigate', (event) => event.preventDefault());
		contents.on('will-redirect', (event) => event.preventDefault());
		contents.on('will-attach-webview', (event) => event.preventDefault());
		contents.setWindowOpenHandler(({ url }) => {
			if (mayOpenOutside(url)) void outside.open(url);
			return { action: 'deny' };
		});
	});
}

/** Serves the window's page and restricts what the page may reach. */
export function guardPage(parts: {
	/** Folder of the built page. */
	readonly renderer: string;
	readonly firstPicture: () => FirstPicture;
	/** Whether the service is on this computer. */
	readonly mayUseLoopback: () => boolean;
	readonly allowedHosts: () => string;
	/** Whether the user listens to the computer's sound. */
	readonly listening: () => boolean;
	/** The file of a recording in the history; null = there is no such recording. */
	readonly recordingAt: (id: string, key: string) => string | null;
	readonly reach: Reach;
	readonly outside: BrowserOpener;
	readonly log: Logger;
}) {
	const { mayUseLoopback, listening, log } = parts;
	let served = '';
	const policy = (page: string) => {
		const reach = { loopback: mayUseLoopback(), allowedHosts: parts.allowedHosts() };
		served = contentPolicy({ ...reach, styles: styleHashes(page) });
		return served;
	};
	const answer = serveApp(session.defaultSession, {
		root: parts.renderer,
		policy,
		dress: (html) => withFirstPicture(html, parts.firstPicture()),
		recordingAt: parts.recordingAt,
	});
	guardPermissions(session.defaultSession, mayUseLoopback, listening);
	offerLoopback(session.defaultSession, listening);
	guardRequests(session.defaultSession, parts.reach, (host) => log.warn('request refused', { host }));
	guardNavigation(parts.outside);
	return {
		/** True if the page was served without access to loopback, which the service needs now. */
		isOutdated: (): boolean => served !== '' && !served.includes('127.0.0.1') && mayUseLoopback(),
		/** Creates the page's answer once and discards it: the first takes 15 ms longer to load modules. */
		warm: (): void => void answer(new Request(`${APP_ORIGIN}/index.html`)),
	};
}
