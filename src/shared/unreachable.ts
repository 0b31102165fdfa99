import type { Problem } from './problem.ts';

/** The names that OpenSSL, Node and Chromium use for an untrusted certificate. */
const CERTIFICATE =
	/^(CERT_|ERR_CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_|SELF_SIGNED_CERT_|HOSTNAME_MISMATCH|INVALID_CA|UNABLE_TO_(VERIFY|GET_ISSUER|DECODE_ISSUER)_)/;

/** The names that Chromium, and Node and we (`PROXY_403`), have for a proxy that let nothing through. */
const PROXY =
	/^(PROXY_\d{3}|ERR_(PROXY_\w+|TUNNEL_CONNECTION_FAILED|NO_SUPPORTED_PROXIES|SOCKS_CONNECTION_\w+))$/;
const PROXY_LOGIN = /^ERR_(UNEXPECTED_PROXY_AUTH|PROXY_AUTH_\w+)$/;

/**
 * The problem of having no connection at all; `cause` is a network error code such as `ECONNREFUSED`. Of the address
 * only host and port are kept: the rest may hold a key.
 */
export function problemOfNetwork(cause: string, address = ''): Problem {
	if (cause === 'PROXY_407' || PROXY_LOGIN.test(cause)) return { kind: 'proxy-login' };
	if (PROXY.test(cause)) return { kind: 'proxy-refused', cause: cause.replace(/^PROXY_/, '') };
	if (CERTIFICATE.test(cause)) return { kind: 'certificate-untrusted', cause };
	const host = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#@]+)/i.exec(address)?.[1] ?? '';
	return { kind: 'service-unreachable', cause, ...(host === '' ? {} : { host }) };
}
