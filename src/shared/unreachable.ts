import type { Problem } from './problem.ts';

/** How OpenSSL, Node and Chromium call a certificate that is not to be trusted. */
const CERTIFICATE =
	/^(CERT_|ERR_CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_|SELF_SIGNED_CERT_|HOSTNAME_MISMATCH|INVALID_CA|UNABLE_TO_(VERIFY|GET_ISSUER|DECODE_ISSUER)_)/;

/** There was no connection at all; `cause` is a code of the network's, such as `ECONNREFUSED`. */
export function problemOfNetwork(cause: string): Problem {
	return { kind: CERTIFICATE.test(cause) ? 'certificate-untrusted' : 'service-unreachable', cause };
}
