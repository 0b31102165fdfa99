import { expect, test } from 'vitest';
import { problemOfNetwork } from './problem.ts';

test.each([
	'CERT_HAS_EXPIRED',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'ERR_TLS_CERT_ALTNAME_INVALID',
	'ERR_CERT_AUTHORITY_INVALID',
])('%s is about the certificate', (cause) => {
	expect(problemOfNetwork(cause)).toEqual({ kind: 'certificate-untrusted', cause });
});

test.each(['ECONNREFUSED', 'ENOTFOUND', 'ERR_INTERNET_DISCONNECTED', 'connection failed', ''])(
	'"%s" is not',
	(cause) => {
		expect(problemOfNetwork(cause)).toEqual({ kind: 'service-unreachable', cause });
	},
);

test('of the address, host and port alone are told', () => {
	expect(problemOfNetwork('ECONNREFUSED', 'wss://user:hidden@a.example:8443/x?token=hidden')).toEqual({
		kind: 'service-unreachable',
		cause: 'ECONNREFUSED',
		host: 'a.example:8443',
	});
	expect(problemOfNetwork('ECONNREFUSED', 'nonsense')).not.toHaveProperty('host');
});
