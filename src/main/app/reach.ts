import { isOurs } from './origin.ts';

/** LiveKit's cloud sends a client on to the nearest of its regions, under the project's own name. */
const REGIONAL = ['.livekit.cloud', '.livekit.run'] as const;

/** Where the window's page may send anything. All other requests end here, whatever code the page was made to run. */
export interface Reach {
	/** The window was given this address for its media; good until the program ends. */
	grant(address: string): void;
	mayReach(address: string): boolean;
}

/** `devtools`: the inspector may load its own pages. */
export function createReach({ devtools }: { readonly devtools: boolean }): Reach {
	const hosts = new Set<string>();
	const inside = new Set(['data:', 'blob:', ...(devtools ? ['devtools:'] : [])]);

	return {
		grant(address) {
			const url = URL.parse(address);
			if (url) hosts.add(place(url));
		},
		mayReach(address) {
			const url = URL.parse(address);
			if (!url) return false;
			if (isOurs(address)) return true;
			if (inside.has(url.protocol)) return true;
			if (!/^(https?|wss?):$/.test(url.protocol) || url.username !== '') return false;
			return hosts.has(place(url)) || [...hosts].some((host) => isRegionOf(host, place(url)));
		},
	};
}

/** Host and port, whether encrypted or not: a room's socket is also checked by a plain request to the same place. */
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
