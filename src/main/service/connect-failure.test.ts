import { expect, test } from 'vitest';
import { readConnectFailure } from './connect-failure.ts';

const coded = (code: unknown, message = 'x') => Object.assign(new Error(message), { code });
const caused = (cause: unknown) => new TypeError('fetch failed', { cause });
/** Around `inner`, so many times. */
const deep = (times: number, inner: unknown): unknown =>
	times === 0 ? inner : caused(deep(times - 1, inner));
const none = { cause: 'connection failed', neverSent: false };

test.each<[string, unknown, unknown]>([
	[
		'a code behind the words of fetch',
		caused(coded('ECONNREFUSED')),
		{ cause: 'ECONNREFUSED', neverSent: true },
	],
	['one that may come late', caused(coded('ECONNRESET')), { cause: 'ECONNRESET', neverSent: false }],
	[
		'all addresses of a host',
		new AggregateError([coded('ENETUNREACH'), coded('ECONNREFUSED')]),
		{ cause: 'ENETUNREACH', neverSent: true },
	],
	[
		'addresses of which one took something',
		caused(new AggregateError([coded('ECONNREFUSED'), coded('ECONNRESET')])),
		{ cause: 'ECONNREFUSED', neverSent: false },
	],
	[
		'Chromium’s own words',
		new Error('net::ERR_NAME_NOT_RESOLVED'),
		{ cause: 'ERR_NAME_NOT_RESOLVED', neverSent: true },
	],
	[
		'others of Chromium’s',
		new Error('net::ERR_EMPTY_RESPONSE at 7'),
		{ cause: 'ERR_EMPTY_RESPONSE', neverSent: false },
	],
	['a code before the words', coded('EPIPE', 'net::ERR_FAILED'), { cause: 'EPIPE', neverSent: false }],
	[
		'a handshake cut short, with a code that says nothing',
		coded('ECONNRESET', 'Client network socket disconnected before secure TLS connection was established'),
		{ cause: 'ECONNRESET', neverSent: true },
	],
	[
		'a proxy that refused the tunnel, with a code that says nothing',
		caused(coded('UND_ERR_ABORTED', 'Proxy response (407) !== 200 when HTTP Tunneling')),
		{ cause: 'PROXY_407', neverSent: true },
	],
	[
		'a proxy that refused the tunnel of an agent',
		Object.assign(coded('ERR_PROXY_TUNNEL'), { statusCode: 403 }),
		{ cause: 'PROXY_403', neverSent: true },
	],
	['a proxy that hung up', coded('ERR_PROXY_TUNNEL'), { cause: 'ERR_PROXY_TUNNEL', neverSent: true }],
	['a code that is no text', caused(coded(7)), none],
	['an empty code', caused(coded('')), none],
	['words of two, which are not one', new Error('net::ERR_', { cause: new Error('CERT_INVALID') }), none],
	['a thing that is no error', caused({ code: 'ECONNREFUSED' }), { cause: 'ECONNREFUSED', neverSent: false }],
	['a cause that is a word', caused('ECONNREFUSED'), none],
	['a cause that is nothing', caused(null), none],
	['nothing', null, none],
	['a word', 'net::ERR_FAILED', none],
	['four deep', deep(4, coded('ECONNREFUSED')), { cause: 'ECONNREFUSED', neverSent: true }],
	['five deep, where nobody looks', deep(5, coded('ECONNREFUSED')), none],
])('%s', (_, thrown, failure) => {
	expect(readConnectFailure(thrown)).toEqual(failure);
});

test.each([
	...['EAI_AGAIN', 'EAI_FAIL', 'EHOSTUNREACH', 'ENETDOWN', 'ERR_PROXY_TUNNEL'].map(
		(code) => [code, true] as const,
	),
	...['ETIMEDOUT', 'ECONNABORTED', 'UND_ERR_HEADERS_TIMEOUT'].map((code) => [code, false] as const),
])('%s: that nothing was sent is sure: %s', (code, neverSent) => {
	expect(readConnectFailure(caused(coded(code)))).toEqual({ cause: code, neverSent });
});

test.each([
	...['TUNNEL_CONNECTION_FAILED', 'SOCKS_CONNECTION_FAILED', 'SOCKS_CONNECTION_HOST_UNREACHABLE'],
	...['PROXY_CONNECTION_FAILED', 'PROXY_CERTIFICATE_INVALID', 'NO_SUPPORTED_PROXIES'],
	'NETWORK_ACCESS_DENIED',
])('behind a proxy that did not let it through, nothing was sent: %s', (name) => {
	const failure = { cause: `ERR_${name}`, neverSent: true };
	expect(readConnectFailure(new Error(`net::ERR_${name}`))).toEqual(failure);
});

test('what leads back to itself is read to an end', () => {
	const loop = new Error('x');
	loop.cause = loop;
	expect(readConnectFailure(loop)).toEqual(none);
});
