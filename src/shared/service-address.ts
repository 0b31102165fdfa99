import type { Problem } from './problem.ts';

/** Longest address that the service may return (spec 8). */
const LONGEST = 2083;

const LOOPBACK = /^127(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

/** Ports that `fetch` refuses on every platform (the Fetch standard's bad ports). */
export const BAD_PORTS = new Set([
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
	109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
	526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
	3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Whether the key may be sent to this REST base: `null` = yes, for `https:`, or `http:` on loopback. */
export function checkRestBase(address: string): Problem | null {
	const url = readAddress(address);
	if (url?.search !== '') return refused(address);
	const fits = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(bareHost(url)));
	if (!fits) return refused(bareHost(url));
	return url.port !== '' && BAD_PORTS.has(Number(url.port)) ? portRefused(url) : null;
}

export const portRefused = (url: URL): Problem => ({
	kind: 'port-refused',
	host: bareHost(url).slice(0, 100),
	port: Number(url.port || (isSecure(url) ? 443 : 80)),
});

/** Omits everything before an `@` and after a `?`, which may be secret. */
export function refused(address: string): Problem {
	const shown = address.replace(/[^\x21-\x7e]/g, '').replace(/[?#].*/, '');
	return { kind: 'address-refused', host: shown.slice(shown.lastIndexOf('@') + 1).slice(0, 100) };
}

/** `null` for addresses no honest service sends: with spaces, backslashes, user names, fragments, an end dot. */
export function readAddress(address: string): URL | null {
	if (address.length > LONGEST || /[^\x21-\x7e]|[\\#]/.test(address)) return null;
	const url = URL.parse(address);
	if (url?.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?]*@/.test(address)) return null;
	return url.hostname === '' || url.hostname.endsWith('.') || !isPlain(address, url) ? null : url;
}

/** False if the host is not in its normal form: `0x7f.1`, `127.1`, `%31`. */
function isPlain(address: string, url: URL): boolean {
	const written = /^[a-z]+:\/\/(\[[^\]]*\]|[^/?:]*)/i.exec(address)?.[1];
	return written !== undefined && (written.startsWith('[') || written.toLowerCase() === url.hostname);
}

export const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');
export const isSecure = (url: URL) => url.protocol === 'wss:' || url.protocol === 'https:';

/**
 * `host` without brackets and port. A name below `localhost` does not count: browsers resolve it to this
 * computer, but Node asks the name server, which may return any address.
 */
export function isLoopback(host: string): boolean {
	return LOOPBACK.test(host) || host === '::1' || host === 'localhost';
}

/** Name of the public service; services at other addresses are named by their host. */
export const PUBLIC_NAME = 'Palabra';
/** Its pages about accounts and keys, and about prices. */
export const SERVICE_PAGES = { keys: 'https://docs.palabra.ai', prices: 'https://www.palabra.ai' } as const;

/** Whether a REST base belongs to the public service; empty = not set, so it does. */
export function isPublicService(apiUrl: string): boolean {
	const host = /^https:\/\/([^/?#:@]+)/.exec(apiUrl)?.[1] ?? '';
	return apiUrl === '' || host === 'palabra.ai' || host.endsWith('.palabra.ai');
}
