import { createHash } from 'node:crypto';

/** Where the pages of the app are served from. */
export const APP_ORIGIN = 'app://dragoman';

/** True for our own pages, whatever the path. */
export function isOurs(address: string): boolean {
	return address === APP_ORIGIN || address.startsWith(`${APP_ORIGIN}/`);
}

const ALWAYS = new Set(['speaker-selection', 'clipboard-sanitized-write', 'fullscreen']);
/** Chromium asks for these before a page may reach a service on this computer (the sandbox). */
const LOOPBACK = new Set(['local-network-access', 'loopback-network', 'local-network']);

export interface Asked {
	readonly permission: string;
	/** Address of the page that asks. */
	readonly from: string;
	/** The kinds of media if `permission` is `media`; empty if unknown. */
	readonly media: readonly string[];
	readonly loopback: boolean;
	/** True while the user listens to the computer's sound. */
	readonly capture?: boolean;
}

/** Electron grants every permission by default; grant only what an interpreter needs, to our own page. */
export function mayGrant({ permission, from, media, loopback, capture }: Asked): boolean {
	if (!isOurs(from)) return false;
	// The captions overlay only displays, so it needs no permission.
	if (from.startsWith(`${APP_ORIGIN}/overlay/`)) return false;
	// A request that names no kind could be for the camera.
	if (permission === 'media') return media.length > 0 && media.every((kind) => kind === 'audio');
	if (LOOPBACK.has(permission)) return loopback;
	// The request is answered with sound alone (`offerLoopback`).
	if (permission === 'display-capture') return capture === true;
	return ALWAYS.has(permission);
}

/**
 * The Content-Security-Policy of the window. Room addresses come with each session and may be on any
 * host, so connections are open to encrypted ones; unencrypted loopback only while a local service may
 * be in use. `allowedHosts` (comma list, `*.name` allowed) narrows both.
 */
export function contentPolicy(options: {
	readonly loopback: boolean;
	readonly allowedHosts: string;
	/** Hashes of the page's `<style>` elements, from `styleHashes`. */
	readonly styles?: readonly string[];
}): string {
	const hosts = options.allowedHosts
		.split(',')
		.map((host) => host.trim().toLowerCase())
		// An invalid host could smuggle a directive into the header.
		.filter((host) => /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host));
	const encrypted =
		hosts.length > 0 ? hosts.flatMap((host) => [`https://${host}`, `wss://${host}`]) : ['https:', 'wss:'];
	const local = ['127.0.0.1', 'localhost'].flatMap((host) => [`http://${host}:*`, `ws://${host}:*`]);
	return [
		"default-src 'none'",
		"script-src 'self'",
		["style-src 'self'", ...(options.styles ?? [])].join(' '),
		"img-src 'self' data:",
		"font-src 'self'",
		"media-src 'self' blob: mediastream:",
		"worker-src 'self'",
		`connect-src ${["'self'", ...encrypted, ...(options.loopback ? local : [])].join(' ')}`,
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
		"object-src 'none'",
		"require-trusted-types-for 'script'",
		// Neither our code nor our libraries create a policy, so allow none: each would bypass the line above.
		"trusted-types 'none'",
	].join('; ');
}

/** Hashes by which the policy admits the `<style>` elements of our page; any other is refused. */
export function styleHashes(html: string): readonly string[] {
	return [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(
		([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
	);
}

/** LiveKit's cloud sends a client on to the nearest of its regions, under the project's own name. */
const REGIONAL = ['.livekit.cloud', '.livekit.run'] as const;

export type Reach = ReturnType<typeof createReach>;

/**
 * The addresses to which the window's page may send requests. All others are blocked, even if foreign code
 * runs in the page.
 * `devtools`: the inspector may load its own pages.
 */
export function createReach({ devtools }: { readonly devtools: boolean }) {
	const hosts = new Set<string>();
	const inside = new Set(['data:', 'blob:', ...(devtools ? ['devtools:'] : [])]);

	return {
		/** Allows this address, which the window was given for its media, until the program ends. */
		grant(address: string): void {
			const url = URL.parse(address);
			if (url) hosts.add(place(url));
		},
		mayReach(address: string): boolean {
			const url = URL.parse(address);
			if (!url) return false;
			if (isOurs(address)) return true;
			if (inside.has(url.protocol)) return true;
			if (!/^(https?|wss?):$/.test(url.protocol) || url.username !== '') return false;
			return hosts.has(place(url)) || [...hosts].some((host) => isRegionOf(host, place(url)));
		},
	};
}

/** Host and port, whether encrypted or not: a plain request to the same host also checks a room's socket. */
function place(url: URL): string {
	const isEncrypted = url.protocol === 'wss:' || url.protocol === 'https:';
	return `${isEncrypted ? 'tls' : 'plain'} ${url.hostname}:${url.port || (isEncrypted ? '443' : '80')}`;
}

/** `tls name.livekit.cloud:443` and `tls name.region.production.livekit.cloud:443`: the first label is the project. */
function isRegionOf(granted: string, asked: string): boolean {
	const [grantedHost = '', grantedPort = ''] = granted.split(':');
	const [askedHost = '', askedPort = ''] = asked.split(':');
	const cloud = REGIONAL.find((name) => grantedHost.endsWith(name));
	if (!cloud || grantedPort !== askedPort || !askedHost.endsWith(cloud)) return false;
	return askedHost.split('.')[0] === grantedHost.split('.')[0];
}
