import { expect, test } from 'vitest';
import { PUBLIC_REST_BASE } from '#main/service/addresses.ts';
import { PUBLIC_SOCKETS } from '#main/streaming/addresses.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { socketOf } from './socket-address.ts';

function account(s2s: string, refusal: Problem | null = null, base: string = PUBLIC_REST_BASE) {
	return {
		baseUrl: () => base,
		socketsNamed: () => ({ s2s, stt: '', tts: '' }),
		socketRefusal: () => refusal,
	};
}

test('the socket that was named, else the public one beside the public service', () => {
	expect(socketOf(account('wss://speech.example/'), 's2s')).toEqual(ok('wss://speech.example/'));
	expect(socketOf(account(''), 's2s')).toEqual(ok(PUBLIC_SOCKETS.s2s));
	expect(socketOf(account('', null, 'https://other.example'), 's2s')).toEqual(
		err({ kind: 'socket-off', socket: 's2s' }),
	);
});

test('one that the key was not given for is none, and no other takes its place', () => {
	const refusal: Problem = { kind: 'key-elsewhere', host: 'evil.example' };
	expect(socketOf(account('wss://evil.example/', refusal), 's2s')).toEqual(err(refusal));
});
