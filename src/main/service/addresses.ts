import { isIPv4, isIPv6 } from 'node:net';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import {
	BAD_PORTS,
	bareHost,
	isLoopback,
	isSecure,
	portRefused,
	readAddress,
	refused,
} from '#shared/service-address.ts';

/** The service's address unless another is given (protocol 2.1). */
export const PUBLIC_REST_BASE = 'https://api.palabra.ai';

/** Names that never belong to a host on the public Internet. */
const LOCAL_NAME = /\.(local|localhost|internal|intranet|lan|home|corp|private|arpa|test|invalid|onion)$/;

/** At least two labels, none of them empty. */
const PUBLIC_NAME = /^([a-z0-9_-]{1,63}\.)+[a-z0-9_-]{1,63}$/;

/**
 * Checks whether media may be sent to the address that the service named; `null` = yes. `wss:` and `https:`
 * on a public host; on loopback, also unencrypted, only when the REST base is on loopback itself.
 * `allowedHosts` (exact names, or `*.name` for all below it) restricts this further if it is not empty.
 */
export function checkMediaAddress(
	address: string,
	restBase: string,
	allowedHosts: readonly string[] = [],
): Problem | null {
	const url = readAddress(address);
	if (!url) return refused(address);
	const host = bareHost(url);
	const base = readAddress(restBase);
	const fits = isLoopback(host)
		? base !== null && isLoopback(bareHost(base)) && isWeb(url)
		: isSecure(url) && isPublic(host, base);
	if (!fits || !isAllowed(host, allowedHosts)) return refused(host);
	return isFreePort(url) ? null : portRefused(url);
}

const isWeb = (url: URL) => isSecure(url) || url.protocol === 'ws:' || url.protocol === 'http:';

function isFreePort(url: URL): boolean {
	const port = url.port === '' ? 443 : Number(url.port);
	return port === 443 || (port >= 1024 && !BAD_PORTS.has(port));
}

function isPublic(host: string, base: URL | null): boolean {
	if (isIPv4(host)) return isPublicIPv4(host);
	if (isIPv6(host)) return isPublicIPv6(host);
	// A name in another script may look like a known one, so it is allowed only if the user named that host.
	if (host.split('.').some((label) => label.startsWith('xn--')) && (!base || bareHost(base) !== host))
		return false;
	return !LOCAL_NAME.test(host) && PUBLIC_NAME.test(host);
}

function isPublicIPv4(host: string): boolean {
	const [a = 0, b = 0, c = 0] = host.split('.').map(Number);
	if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
	if (a === 100 && b >= 64 && b < 128) return false;
	if (a === 169 && b === 254) return false;
	if (a === 172 && b >= 16 && b < 32) return false;
	if (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99))) return false;
	if (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) return false;
	return !(a === 203 && b === 0 && c === 113);
}

/** Global unicast (2000::/3) without the ranges that carry an IPv4 address or are for examples. */
function isPublicIPv6(host: string): boolean {
	const first = Number.parseInt(host.split(':')[0] || '0', 16);
	if (first < 0x2000 || first > 0x3fff || first === 0x2002) return false;
	const second = Number.parseInt(host.split(':')[1] || '0', 16);
	return !(first === 0x2001 && (second < 0x200 || second === 0xdb8));
}

/** Parses the comma-separated `DRAGOMAN_ALLOWED_HOSTS` for `checkMediaAddress`. */
export function parseAllowedHosts(list: string): readonly string[] {
	return list
		.split(',')
		.map((host) => host.trim().toLowerCase())
		.filter((host) => host !== '');
}

function isAllowed(host: string, allowed: readonly string[]): boolean {
	if (allowed.length === 0) return true;
	return allowed.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name));
}

export type Product = 's2s' | 'stt' | 'tts';

/** The sockets of the public service (protocol 2.1). */
export const PUBLIC_SOCKETS: Readonly<Record<Product, string>> = {
	s2s: 'wss://streaming.palabra.ai/streaming-api/{hash}/v1/speech-to-speech/stream',
	stt: 'wss://stream.palabra.ai/asr/v1/speech-to-text/stream',
	tts: 'wss://stream.palabra.ai/tts-api/v1/text-to-speech/stream',
};

/** The public service's domain, which includes all subdomains. */
const PUBLIC_DOMAIN = 'palabra.ai';

/** True if this is an address of the public service, no matter where it was configured. */
export function isPublicPlace(address: string): boolean {
	const host = URL.parse(address)?.hostname.replace(/\.+$/, '') ?? '';
	return host === PUBLIC_DOMAIN || host.endsWith(`.${PUBLIC_DOMAIN}`);
}

interface SocketPlaces {
	readonly restBase: string;
	readonly publicBase: string;
	/** The addresses that the user configured; empty = none. */
	readonly named: Readonly<Record<Product, string>>;
}

/**
 * The address of a socket, still with its placeholder. With a REST base that is not the public one, a socket
 * without its own address is disabled: a key never goes to a host the user did not name.
 */
export function socketAddress(
	product: Product,
	{ restBase, publicBase, named }: SocketPlaces,
): Result<string, Problem> {
	if (named[product] !== '') return ok(named[product]);
	const isPublic = originOf(restBase) === originOf(publicBase);
	return isPublic ? ok(PUBLIC_SOCKETS[product]) : err({ kind: 'socket-off', socket: product });
}

function originOf(address: string): string | null {
	return URL.parse(address)?.origin ?? null;
}

/** Every `{hash}` and `{random_hash}` gets the same fresh value: it spreads connections over servers (protocol 2.1). */
export function withHash(address: string, hash: string): string {
	return address.replaceAll(/\{(?:random_)?hash\}/g, hash);
}

/** Encodes values as the service reads them: commas stay commas (protocol 5.2). */
export function withQuery(address: string, query: Readonly<Record<string, string>>): string {
	const pairs = Object.entries(query).map(
		([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value).replaceAll('%2C', ',')}`,
	);
	if (pairs.length === 0) return address;
	return `${address}${address.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}
