import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

export type Product = 's2s' | 'stt' | 'tts';

/** Where the sockets of the public service are (protocol 2.1). */
export const PUBLIC_SOCKETS: Readonly<Record<Product, string>> = {
	s2s: 'wss://streaming.palabra.ai/streaming-api/{hash}/v1/speech-to-speech/stream',
	stt: 'wss://stream.palabra.ai/asr/v1/speech-to-text/stream',
	tts: 'wss://stream.palabra.ai/tts-api/v1/text-to-speech/stream',
};

/** The public service's own name, and whatever is below it. */
const PUBLIC_DOMAIN = 'palabra.ai';

/** Is this an address of the public service, whoever named it? */
export function isPublicPlace(address: string): boolean {
	const host = URL.parse(address)?.hostname.replace(/\.+$/, '') ?? '';
	return host === PUBLIC_DOMAIN || host.endsWith(`.${PUBLIC_DOMAIN}`);
}

interface SocketPlaces {
	/** REST base in force. */
	readonly restBase: string;
	/** REST base of the public service. */
	readonly publicBase: string;
	/** What the user named; empty = nothing. */
	readonly named: Readonly<Record<Product, string>>;
}

/**
 * The address of a socket, still with its placeholder. With a REST base that is not the public one, a
 * socket without its own address is off: a key never goes to a host the user did not name.
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
