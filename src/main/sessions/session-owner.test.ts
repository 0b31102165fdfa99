import { describe, expect, test } from 'vitest';
import { sessionAt } from '#test/support/sessions.ts';
import type { LedgerEntry } from './ledger.ts';
import { isSettled, isUncertain, LONGEST_LIFE_MS, mayBeFrom } from './session-owner.ts';

describe('uncertain', () => {
	const ASKED = 1_800_000_000_000;
	const entry: LedgerEntry = {
		intent: 'i',
		account: 'a',
		state: 'intent',
		id: null,
		owner: 'o',
		expiresAt: null,
		lostAt: null,
		createdWall: ASKED,
		createdServer: ASKED,
	};
	const lost: LedgerEntry = { ...entry, lostAt: ASKED + 1000 };

	test('an entry without an id is uncertain once its answer was lost, or who asked has ended', () => {
		expect([isUncertain(entry, true), isUncertain(entry, false), isUncertain(lost, true)]).toEqual([
			false,
			true,
			true,
		]);
		expect(isUncertain({ ...lost, id: 's' }, false)).toBe(false);
	});

	test.each([
		['whose answer was lost', lost, ASKED + 1000 + 60_000],
		['whose asker has ended', entry, ASKED + 300_000 + 60_000],
	])('a session may be of an entry %s from 5 s before it was asked for', (_name, of, last) => {
		const may = (at: number | null) => mayBeFrom(of, sessionAt('s', at));
		expect([may(ASKED - 5001), may(ASKED - 5000), may(last), may(last + 1)]).toEqual([
			false,
			true,
			true,
			false,
		]);
		expect(may(null)).toBe(false);
	});

	test.each([
		['lost', lost, ASKED + 1000 + 120_000],
		['of one that ended', entry, ASKED + 300_000 + 120_000],
	])(
		'an entry %s is settled two minutes later, when no session that is nobody’s may be its own',
		(_n, of, at) => {
			const mine = sessionAt('s', ASKED);
			const other = sessionAt('t', ASKED - 60_000);
			expect([isSettled(of, [], at), isSettled(of, [], at + 1)]).toEqual([false, true]);
			expect([isSettled(of, [other], at + 1), isSettled(of, [other, mine], at + 1)]).toEqual([true, false]);
		},
	);

	test('settles an entry older than any session, whatever is listed', () => {
		const mine = [sessionAt('s', ASKED)];
		const end = ASKED + LONGEST_LIFE_MS;
		expect([isSettled(lost, mine, end), isSettled(lost, mine, end + 1)]).toEqual([false, true]);
	});
});
