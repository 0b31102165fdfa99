import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import { checkRestBase } from '#shared/service-address.ts';
import {
	checkMediaAddress,
	isPublicPlace,
	PUBLIC_REST_BASE,
	PUBLIC_SOCKETS,
	parseAllowedHosts,
	socketAddress,
	withHash,
	withQuery,
} from './addresses.ts';

const LOOPBACK_BASE = 'http://127.0.0.1:4321';

const hosted = (host: string) => `wss://${host}/`;

const fine = [
	'wss://streaming.palabra.ai/livekit/',
	'https://streaming-0.palabra.ai/livekit/',
	'wss://media.example.com',
	'wss://media.example.com:443/',
	'wss://media.example.com:7880/rtc?region=eu',
	'WSS://Media.Example.com/',
	'wss://203.0.112.9/',
	'wss://8.8.8.8:8443/',
	'wss://media.example.com:1024/',
	// Beside what is private, on either side.
	...['1.0.0.1', '9.255.0.1', '11.0.0.1', '126.0.0.1', '128.0.0.1', '223.255.0.1'].map(hosted),
	...['100.63.0.1', '100.128.0.1', '101.64.0.1', '169.253.0.1', '169.255.0.1', '170.254.0.1'].map(hosted),
	...['172.15.0.1', '172.32.0.1', '173.16.0.1', '192.167.0.1', '192.169.0.1', '193.168.0.1'].map(hosted),
	...['192.0.1.1', '192.0.3.1', '192.1.0.1', '192.1.2.1', '192.88.98.1', '192.88.100.1'].map(hosted),
	...['192.87.99.1', '192.89.99.1', '198.17.0.1', '198.20.0.1', '198.51.99.1', '198.50.100.1'].map(hosted),
	...['197.18.0.1', '199.18.0.1', '203.0.112.1', '203.0.114.1', '203.1.113.1', '202.0.113.1'].map(hosted),
	...['[2000::1]', '[3fff::1]', '[2001:200::1]', '[2001:db7::1]', '[2003:db8::1]', '[2003:1::1]'].map(hosted),
	'wss://[2606:4700::1111]/',
];

const privateHosts = [
	...[
		'10.0.0.1',
		'10.255.255.255',
		'127.0.0.1',
		'127.8.8.8',
		'0.0.0.0',
		'169.254.169.254',
		'172.16.0.1',
		'172.31.9.9',
	],
	...[
		'192.168.1.1',
		'100.64.0.1',
		'100.127.1.1',
		'192.0.0.8',
		'192.0.2.1',
		'192.88.99.1',
		'198.18.0.1',
		'198.19.9.9',
	],
	...[
		'198.51.100.7',
		'203.0.113.7',
		'224.0.0.1',
		'239.1.1.1',
		'240.0.0.1',
		'255.255.255.255',
		'localhost',
		'a.localhost',
	],
	...[
		'[::1]',
		'[::]',
		'[fe80::1]',
		'[febf::1]',
		'[fc00::1]',
		'[fd12:3456::1]',
		'[fec0::1]',
		'[ff02::1]',
		'[2001:db8::1]',
	],
	...[
		'[::ffff:10.0.0.1]',
		'[::ffff:127.0.0.1]',
		'[::ffff:8.8.8.8]',
		'[::10.0.0.1]',
		'[64:ff9b::a00:1]',
		'[2002:a00:1::]',
	],
	...['[2001::1]', '[2001:0:4136:e378::]', '[100::1]', '[3ffe::]'.replace('3ffe', '5ffe')],
	...[
		'intranet',
		'router.lan',
		'nas.local',
		'db.internal',
		'x.corp',
		'y.home',
		'home.arpa',
		'z.private',
		'q.test',
		'o.onion',
	],
];

const odd = [
	...[
		'',
		'wss://',
		'wss:///',
		'media.example.com',
		'//media.example.com',
		'wss:/media.example.com',
		'wss:media.example.com',
	],
	...[
		'http://media.example.com/',
		'ws://media.example.com/',
		'ftp://media.example.com/',
		'file:///etc/passwd',
	],
	...[
		'javascript:alert(1)',
		'data:text/html,x',
		'blob:https://media.example.com/1',
		'about:blank',
		'chrome://settings',
	],
	...['wss://user@media.example.com/', 'wss://user:pass@media.example.com/', 'wss://@media.example.com/'],
	...[
		'wss://:@media.example.com/',
		'wss://good.example.com@10.0.0.1/',
		'wss://good.example.com%40evil.example.com/',
	],
	...[
		'wss://media.example.com./',
		'wss://media.example.com../',
		'wss://.media.example.com./',
		'wss://media.example.com/#x',
	],
	...[
		'wss://media.example.com\\@evil.example.com/',
		'wss:\\\\media.example.com\\',
		'wss://media.example.com /',
		' wss://a.example.com',
	],
	...[
		'wss://media.example.com\t/',
		'wss://media\n.example.com/',
		'wss://media.example.com/\u0000',
		'wss://media.example.com\u200b/',
	],
	...[
		'wss://medi\u0430.example.com/',
		'wss://m\u00e9dia.example.com/',
		'wss://xn--mdi-cla.example.com/',
		'wss://xn--e1afmkfd.com/',
	],
	...['wss://\uff4dedia.example.com/', 'wss://media\u3002example.com/', 'wss://\u2460.example.com/'],
	...[
		'wss://0x7f.1/',
		'wss://127.1/',
		'wss://2130706433/',
		'wss://0177.0.0.1/',
		'wss://010.0.0.1/',
		'wss://0x0a000001/',
		'wss://134744072/',
	],
	...[
		'wss://%31%32%37.0.0.1/',
		'wss://media%2eexample.com/',
		'wss://[::1',
		'wss://[fe80::1%25eth0]/',
		'wss://[::ffff:0x7f.1]/',
	],
	...[
		'wss://media.example.com:99999/',
		'wss://media.example.com:-1/',
		'wss://media.example.com:0/',
		'wss://media.example.com:abc/',
	],
	`wss://media.example.com/${'a'.repeat(10_000)}`,
];

const ports = [
	1, 7, 21, 22, 23, 25, 53, 80, 110, 139, 143, 389, 445, 465, 587, 993, 2049, 3659, 5060, 5061, 6000, 6667,
	6697, 10080,
];

describe('a media address with a public REST base', () => {
	test.each(fine)('is accepted: %s', (address) => {
		expect(checkMediaAddress(address, PUBLIC_REST_BASE)).toBeNull();
	});

	const schemes = ['wss', 'https', 'ws', 'http'];
	const refused = [
		...privateHosts.flatMap((host) => schemes.map((scheme) => `${scheme}://${host}/livekit/`)),
		...odd,
		...ports.flatMap((port) => [`wss://media.example.com:${port}/`, `https://8.8.8.8:${port}/`]),
	];
	test(`is refused in each of ${refused.length} hostile forms`, () => {
		expect(refused.length).toBeGreaterThan(300);
		expect(refused.filter((address) => checkMediaAddress(address, PUBLIC_REST_BASE) === null)).toEqual([]);
	});

	test('is taken with 2,083 characters and not with one more', () => {
		const start = 'wss://media.example.com/';
		const ofLength = (length: number) => start + 'a'.repeat(length - start.length);
		expect(checkMediaAddress(ofLength(2083), PUBLIC_REST_BASE)).toBeNull();
		expect(checkMediaAddress(ofLength(2084), PUBLIC_REST_BASE)).not.toBeNull();
	});

	test('is refused by a problem that names the host and nothing else', () => {
		const problem = checkMediaAddress('wss://10.0.0.1/secret?token=abc', PUBLIC_REST_BASE);
		expect(problem).toEqual({ kind: 'address-refused', host: '10.0.0.1' });
	});

	test.each(ports)('is refused for its port %i, which is named', (port) => {
		const problem = { kind: 'port-refused', host: 'media.example.com', port };
		expect(checkMediaAddress(`wss://media.example.com:${port}/`, PUBLIC_REST_BASE)).toEqual(problem);
	});

	test('never makes it throw, whatever the text', () => {
		const schemes = fc.constantFrom('wss://', 'https://', 'ws://', '');
		fc.assert(
			fc.property(
				schemes,
				fc.string({
					unit: fc.constantFrom(...'abz019.:/@\\%#?[]xn-\t\u0000\u00e9\u0430\u3002\ud800\u200b '),
				}),
				(scheme, rest) => {
					const problem = checkMediaAddress(scheme + rest, PUBLIC_REST_BASE);
					expect([null, 'address-refused', 'port-refused']).toContain(problem?.kind ?? null);
				},
			),
		);
	});

	test('is never a private IPv4 address, however it is written', () => {
		fc.assert(
			fc.property(fc.integer({ min: 0x0a000000, max: 0x0affffff }), (number) => {
				const bytes = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
				const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
				const forms = [
					bytes.join('.'),
					String(number),
					`0x${number.toString(16)}`,
					bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
					`[::ffff:${bytes.join('.')}]`,
					`[::ffff:${hex[0]}${hex[1]}:${hex[2]}${hex[3]}]`,
					`[64:ff9b::${bytes.join('.')}]`,
				];
				for (const form of forms)
					expect(checkMediaAddress(`wss://${form}/`, PUBLIC_REST_BASE)).not.toBeNull();
			}),
		);
	});
});

describe('a media address with a REST base on loopback', () => {
	test.each([
		'ws://127.0.0.1:7880/',
		'http://localhost:7880',
		'wss://[::1]:7880/',
		'wss://media.example.com/',
	])('is accepted: %s', (address) => expect(checkMediaAddress(address, LOOPBACK_BASE)).toBeNull());
	test.each([
		'ws://192.168.1.5:7880/',
		'ws://media.example.com/',
		'http://10.0.0.1/',
		'ws://127.0.0.1:22/',
		'file://localhost/x',
	])('is refused: %s', (address) => expect(checkMediaAddress(address, LOOPBACK_BASE)).not.toBeNull());
});

describe('allowed hosts', () => {
	const allowed = parseAllowedHosts(' streaming.palabra.ai, *.Example.com ,');
	test('restrict further', () => {
		expect(checkMediaAddress('wss://streaming.palabra.ai/', PUBLIC_REST_BASE, allowed)).toBeNull();
		expect(checkMediaAddress('wss://a.example.com/', PUBLIC_REST_BASE, allowed)).toBeNull();
		expect(checkMediaAddress('wss://evilexample.com/', PUBLIC_REST_BASE, allowed)).not.toBeNull();
		expect(checkMediaAddress('wss://other.palabra.ai/', PUBLIC_REST_BASE, allowed)).not.toBeNull();
	});
	test('never open what is closed', () => {
		expect(checkMediaAddress('ws://10.0.0.1/', PUBLIC_REST_BASE, ['10.0.0.1'])).not.toBeNull();
	});
});

describe('a REST base', () => {
	test.each([
		PUBLIC_REST_BASE,
		'https://10.0.0.1',
		'http://localhost:80',
		'http://127.0.0.1:1234',
		'http://[::1]:99/base',
	])('is accepted: %s', (base) => expect(checkRestBase(base)).toBeNull());
	test.each([
		'http://api.palabra.ai',
		'http://10.0.0.1',
		'http://x.localhost:8080',
		'http://127.0.0.1.localhost',
		'ws://127.0.0.1',
		'https://u:p@api.palabra.ai',
		'https://a.example/?x=1',
		'nonsense',
		'',
	])('is refused: %s', (base) => expect(checkRestBase(base)).not.toBeNull());
});

describe('the port of a REST base', () => {
	test.each([
		['https://api.example.com:6000', 6000],
		['http://127.0.0.1:6667', 6667],
		['http://localhost:22/x', 22],
		['http://[::1]:0', 0],
	] as const)('%s is refused, as `fetch` refuses it', async (base, port) => {
		expect(checkRestBase(base)).toMatchObject({ kind: 'port-refused', port });
		// Nothing answers there, and nothing is even asked.
		if (port !== 0) await expect(fetch(base)).rejects.toMatchObject({ cause: { message: 'bad port' } });
	});

	test.each([
		'http://127.0.0.1:80',
		'https://api.example.com',
		'http://localhost:5999',
		'http://127.0.0.1:6001',
	])('%s is not', (base) => expect(checkRestBase(base)).toBeNull());
});

describe('the place of the public service', () => {
	test.each([
		['https://palabra.ai', true],
		['wss://stream.palabra.ai/x', true],
		['wss://a.b.palabra.ai:8443', true],
		['wss://stream.palabra.ai./x', true],
		['wss://stream.palabra.ai../x', true],
		['https://notpalabra.ai', false],
		['https://palabra.ai.example.com', false],
		['https://palabra.ai.example', false],
		['words', false],
		['', false],
	])('%s: %j', (address, isPublic) => expect(isPublicPlace(address)).toBe(isPublic));
});

describe('the address of a socket', () => {
	const publicBase = 'https://api.palabra.ai';
	const none = { s2s: '', stt: '', tts: '' };
	const mine = 'wss://mine.example/s';

	test('is the public one at the public service, however that is written', () => {
		for (const restBase of [publicBase, `${publicBase}/`, `${publicBase}:443/v1`]) {
			for (const product of ['s2s', 'stt', 'tts'] as const) {
				expect(socketAddress(product, { restBase, publicBase, named: none })).toEqual(
					ok(PUBLIC_SOCKETS[product]),
				);
			}
		}
	});

	test.each(['https://api.example.com', 'http://api.palabra.ai', 'words'])(
		'at %s is what the user named, or none',
		(restBase) => {
			const named = { ...none, stt: mine };
			expect(socketAddress('stt', { restBase, publicBase, named })).toEqual(ok(mine));
			expect(socketAddress('tts', { restBase, publicBase, named })).toEqual(
				err({ kind: 'socket-off', socket: 'tts' }),
			);
		},
	);

	test('that the user named counts at the public service too', () => {
		expect(socketAddress('s2s', { restBase: publicBase, publicBase, named: { ...none, s2s: mine } })).toEqual(
			ok(mine),
		);
	});

	test('has the same fresh value wherever it wants one', () => {
		expect(withHash('wss://x/{hash}/{random_hash}/{hash}/{other}', 'ab')).toBe('wss://x/ab/ab/ab/{other}');
	});

	test.each<[string, Record<string, string>, string]>([
		['wss://x/s', {}, 'wss://x/s'],
		['wss://x/s?', {}, 'wss://x/s?'],
		['wss://x/s', { a: 'b' }, 'wss://x/s?a=b'],
		['wss://x/s?z=1', { a: 'b', c: 'd' }, 'wss://x/s?z=1&a=b&c=d'],
		['wss://x/s', { 'a&b': 'es,de,c d&e=é' }, 'wss://x/s?a%26b=es,de,c%20d%26e%3D%C3%A9'],
	])('%s with %j is %s', (address, query, whole) => expect(withQuery(address, query)).toBe(whole));
});
