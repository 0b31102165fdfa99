import { session } from 'electron';
import { contentPolicy, styleHashes } from '#main/app/content-policy.ts';
import { type FirstPicture, withFirstPicture } from '#main/app/first-picture.ts';
import { APP_ORIGIN } from '#main/app/origin.ts';
import type { Reach } from '#main/app/reach.ts';
import type { Logger } from '#shared/lib/log.ts';
import { serveApp } from './app-protocol.ts';
import { offerLoopback } from './loopback-audio.ts';
import { guardNavigation } from './navigation.ts';
import type { Outside } from './outside.ts';
import { guardPermissions } from './permissions.ts';
import { guardRequests } from './request-guard.ts';

export interface PageGuards {
	/** The page was served when loopback was closed to it, and now the service is there. */
	isOutdated(): boolean;
	/** Makes the page's answer once and throws it away: the first one takes 15 ms longer, for what it loads. */
	warm(): void;
}

/** Serves the page of the window, and holds it to what it may reach. */
export function guardPage(parts: {
	/** Folder of the built page. */
	readonly renderer: string;
	readonly firstPicture: () => FirstPicture;
	/** Whether the service is on this computer. */
	readonly mayUseLoopback: () => boolean;
	readonly allowedHosts: () => string;
	/** Whether the user listens to what the computer plays. */
	readonly listening: () => boolean;
	readonly reach: Reach;
	readonly outside: Outside;
	readonly log: Logger;
}): PageGuards {
	const { mayUseLoopback, listening, log } = parts;
	let served = '';
	const policy = (page: string) => {
		const reach = { loopback: mayUseLoopback(), allowedHosts: parts.allowedHosts() };
		served = contentPolicy({ ...reach, styles: styleHashes(page) });
		return served;
	};
	const answer = serveApp(session.defaultSession, parts.renderer, policy, (html) =>
		withFirstPicture(html, parts.firstPicture()),
	);
	guardPermissions(session.defaultSession, mayUseLoopback, listening);
	offerLoopback(session.defaultSession, listening);
	guardRequests(session.defaultSession, parts.reach, (host) => log.warn('request refused', { host }));
	guardNavigation(parts.outside);
	return {
		isOutdated: () => served !== '' && !served.includes('127.0.0.1') && mayUseLoopback(),
		warm: () => void answer(new Request(`${APP_ORIGIN}/index.html`)),
	};
}
