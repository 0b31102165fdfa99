import { codeOf } from '#main/lib/files.ts';

/** Error codes of the transport when no byte of the request can have reached the service. */
const NEVER_SENT_CODES = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EAI_FAIL',
	'EAI_NODATA',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ENETDOWN',
	'EADDRNOTAVAIL',
	'UND_ERR_CONNECT_TIMEOUT',
	'ERR_PROXY_TUNNEL',
	'CERT_HAS_EXPIRED',
	'CERT_NOT_YET_VALID',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'ERR_TLS_CERT_ALTNAME_INVALID',
	'ERR_SSL_WRONG_VERSION_NUMBER',
]);
/** The same as messages: from Chromium's network stack, a broken TLS handshake, or undici's proxy tunnel. */
const NEVER_SENT_WORDS =
	/ERR_(CONNECTION_REFUSED|NAME_NOT_RESOLVED|INTERNET_DISCONNECTED|ADDRESS_UNREACHABLE|CONNECTION_TIMED_OUT|NETWORK_ACCESS_DENIED|PROXY_CONNECTION_FAILED|PROXY_CERTIFICATE_INVALID|NO_SUPPORTED_PROXIES|TUNNEL_CONNECTION_FAILED|SOCKS_CONNECTION_\w+|CERT_\w+|SSL_PROTOCOL_ERROR|SSL_VERSION_OR_CIPHER_MISMATCH)|before secure TLS connection|wrong version number|handshake failure|when HTTP tunneling/i;

export interface ConnectFailure {
	/** A code or a short sentence for the log and for support; never a secret. */
	readonly cause: string;
	/** True only if the service certainly saw nothing: any call may then be repeated. */
	readonly neverSent: boolean;
}

/** Reads what `fetch` threw: undici hides the reason in `cause`, happy eyeballs in `errors`. */
export function readConnectFailure(thrown: unknown): ConnectFailure {
	const chain = flatten(thrown, 0);
	const codes = chain.map((link) => codeOf(link)).filter((code) => code !== '');
	const words = chain.map((link) => (link instanceof Error ? link.message : '')).join(' ');
	const leaves = chain.filter((link) => link instanceof Error && codeOf(link) !== '');
	const neverSent =
		(leaves.length > 0 && leaves.every((leaf) => NEVER_SENT_CODES.has(codeOf(leaf)))) ||
		NEVER_SENT_WORDS.test(words);
	const chromium = /ERR_[A-Z_]+/.exec(words)?.[0];
	// undici puts the status only in its message, Node's agents in a field.
	const status =
		/Proxy response \((\d{3})\)/.exec(words)?.[1] ?? chain.map(statusOf).find((one) => one !== '');
	const cause = status === undefined ? (codes[0] ?? chromium ?? 'connection failed') : `PROXY_${status}`;
	return { cause, neverSent };
}

function flatten(thrown: unknown, depth: number): readonly unknown[] {
	if (depth > 4 || typeof thrown !== 'object' || thrown === null) return [];
	const inner = thrown instanceof AggregateError ? thrown.errors : [];
	const cause = 'cause' in thrown ? [thrown.cause] : [];
	return [thrown, ...[...inner, ...cause].flatMap((next) => flatten(next, depth + 1))];
}

/** The status with which a proxy refused to open a tunnel. */
function statusOf(link: unknown): string {
	if (codeOf(link) !== 'ERR_PROXY_TUNNEL') return '';
	const status = typeof link === 'object' && link !== null && 'statusCode' in link ? link.statusCode : 0;
	return typeof status === 'number' && status > 0 ? String(status) : '';
}
