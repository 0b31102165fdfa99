import { expect, test } from 'vitest';
import { ok } from '#shared/lib/result.ts';
import { createScriptedAccount, SERVER_NOW } from '#test/support/scripted-account.ts';
import type { HeldSession } from './held-session.ts';
import type { KeeperState } from './keeper-machine.ts';
import { isFresh, purposeOf } from './session-keeper.ts';

const session = (state: KeeperState, token: number | null = null): HeldSession => ({
	handle: 'h',
	account: createScriptedAccount().account,
	startedAt: 0,
	opened: Promise.resolve(ok({ id: 'i', webrtcUrl: '', publisher: '', tokenExpiresAt: token })),
	tokenExpiresAt: () => token,
	state: () => state,
	id: () => null,
	tell() {},
	release: async () => {},
});
const held = (expiresAt: number | null): KeeperState => ({
	phase: 'held',
	use: 'granted',
	expiresAt,
	failures: 0,
	extendedAt: null,
});
const MINUTE = 60_000;

test('what a session is for, until it is on its way out', () => {
	const purposes = [
		{ phase: 'opening', use: 'warm' } as const,
		held(null),
		{ phase: 'abandoning' } as const,
		{ phase: 'closing', failures: 0 } as const,
		{ phase: 'gone' } as const,
	].map((state) => purposeOf(session(state)));
	expect(purposes).toEqual(['warm', 'granted', null, null, null]);
});

test('one that is being opened is fresh, one on its way out is not', () => {
	expect(isFresh(session({ phase: 'opening', use: 'warm' }, SERVER_NOW))).toBe(true);
	expect(isFresh(session({ phase: 'closing', failures: 0 }))).toBe(false);
});

test.each([
	[null, null, true],
	[SERVER_NOW + MINUTE, null, false],
	[SERVER_NOW + MINUTE + 1, null, true],
	[null, SERVER_NOW + MINUTE, false],
	[null, SERVER_NOW + MINUTE + 1, true],
	[SERVER_NOW + MINUTE, SERVER_NOW + MINUTE + 1, false],
	[SERVER_NOW + MINUTE + 1, SERVER_NOW + MINUTE + 1, true],
])('with its end at %s and that of its token at %s it is good for a minute: %s', (end, token, is) => {
	expect(isFresh(session(held(end), token))).toBe(is);
});
