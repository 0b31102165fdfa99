import { describe, expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import { isPublicPlace, PUBLIC_SOCKETS, socketAddress, withHash, withQuery } from './addresses.ts';

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
