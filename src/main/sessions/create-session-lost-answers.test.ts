import { describe, expect, test } from 'vitest';
import type { SessionAccount } from '#main/service/session-client.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	createLedgerDisk,
	createMemoryLedger,
	createScriptedAccount,
	OWN,
	SERVER_NOW,
	sessionAt,
} from '#test/support/sessions.ts';
import type { RecordedFailure } from './create-session.ts';
import { nextAfterFailure, stillAway } from './create-session.ts';
import type { LedgerEntry } from './ledger.ts';
import type { SweepReport } from './sweep.ts';

const limit: Problem = { kind: 'session-limit', detail: 'full' };
const forbidden: Problem = { kind: 'forbidden', detail: 'no' };
const away: Problem = { kind: 'service-unreachable', cause: 'ENOTFOUND' };
const report: SweepReport = {
	deleted: 0,
	absent: 0,
	failed: 0,
	inUse: 0,
	handedOver: 0,
	otherAccounts: 0,
	outdated: 0,
	uncertain: 0,
	problem: null,
	brokenLedger: null,
};
const lostEntry: LedgerEntry = {
	intent: 'i',
	account: OWN,
	state: 'intent',
	id: null,
	owner: 'dead',
	expiresAt: null,
	createdWall: 0,
	createdServer: SERVER_NOW - 90_000_000,
	lostAt: SERVER_NOW - 90_000_000,
};

async function verdict(
	failure: Partial<RecordedFailure> & { readonly problem: Problem },
	answers: Partial<SessionAccount> = {},
	swept = async () => ok(report),
	isRoomMade = false,
) {
	const disk = createLedgerDisk();
	disk.entries = [lostEntry];
	const ledger = createMemoryLedger(disk, 'this');
	const { account, asked } = createScriptedAccount(answers);
	const whole = { created: 'no', lostIntent: null, toRemove: null, ...failure } as const;
	const next = await nextAfterFailure(whole, {
		account,
		ledger,
		sweep: swept,
		sinceMs: () => 4000,
		isRoomMade,
	});
	return { next, asked, entry: disk.entries[0] };
}

describe('after a failed opening', () => {
	test('any other problem is told as it is, and nobody is asked', async () => {
		expect(await verdict({ problem: away })).toMatchObject({ next: away, asked: [] });
	});

	test('the limit is tried again when something of ours was in the way', async () => {
		const one = async () => ok({ ...report, deleted: 1 });
		expect((await verdict({ problem: limit }, {}, one)).next).toBe('again');
		expect((await verdict({ problem: limit })).next).toEqual(limit);
		// A session that was being deleted is gone now; no sweep is needed.
		const never = () => expect.unreachable();
		expect((await verdict({ problem: limit }, {}, never as never, true)).next).toBe('again');
		expect((await verdict({ problem: away }, {}, never as never, true)).next).toEqual(away);
		const failing = async () => err(away);
		expect((await verdict({ problem: limit }, {}, failing as never)).next).toEqual(limit);
	});

	test('a refusal without a reason is the limit when sessions are open', async () => {
		const some = async () => ok({ sessions: [sessionAt('s', null)], complete: true });
		expect((await verdict({ problem: forbidden }, { list: some })).next).toEqual({
			...forbidden,
			kind: 'session-limit',
		});
		expect((await verdict({ problem: forbidden })).next).toEqual(forbidden);
		expect((await verdict({ problem: forbidden }, { list: async () => err(away) })).next).toEqual(forbidden);
	});
});

describe('after a lost answer', () => {
	const lost = (created: 'answered' | 'unanswered') => ({ problem: away, created, lostIntent: 'i' });
	const uncertain = { kind: 'session-uncertain' };

	test('its time is put right by what the service says now', async () => {
		const { next, entry } = await verdict(lost('unanswered'));
		expect(next).toEqual(uncertain);
		expect(entry).toMatchObject({ createdServer: SERVER_NOW - 4000, lostAt: SERVER_NOW });
	});

	test('a service that does not even list leaves it as it is', async () => {
		const { next, entry, asked } = await verdict(lost('answered'), { list: async () => err(away) });
		expect([next, entry, asked]).toEqual([uncertain, lostEntry, ['list']]);
	});

	test('one that has answered and shows nothing new is asked again', async () => {
		const old = async () => ok({ sessions: [sessionAt('s', SERVER_NOW - 3_600_000)], complete: true });
		expect((await verdict(lost('answered'), { list: old })).next).toBe('again');
		expect((await verdict(lost('answered'))).next).toBe('again');
	});

	test('one that shows what may be ours is not', async () => {
		const sessions = [sessionAt('s', SERVER_NOW - 3_600_000), sessionAt('t', SERVER_NOW - 2000)];
		const list = async () => ok({ sessions, complete: true });
		expect((await verdict(lost('answered'), { list })).next).toEqual(uncertain);
	});

	test('one that lists once and then no more is not', async () => {
		let times = 0;
		const list = async () => (times++ === 0 ? ok({ sessions: [], complete: true }) : err(away));
		expect((await verdict(lost('answered'), { list })).next).toEqual(uncertain);
	});
});

describe('whether a service is there again', () => {
	const asked = async (list: SessionAccount['list']) => {
		const clock = createManualClock();
		const said = stillAway(createScriptedAccount({ list }).account, clock);
		await clock.run(5000);
		return [await said, clock.pending];
	};

	test('it is when it lists, and when it refuses to', async () => {
		expect(await asked(async () => ok({ sessions: [], complete: true }))).toEqual([null, 0]);
		expect(await asked(async () => err(forbidden))).toEqual([null, 0]);
	});

	test.each([away, { kind: 'timed-out', what: 'list-sessions', afterMs: 10 } as const])(
		'it is not: $kind',
		async (problem) => {
			expect(await asked(async () => err(problem))).toEqual([problem, 0]);
		},
	);

	test('it is not when it says nothing for five seconds', async () => {
		const silent: SessionAccount['list'] = (signal) =>
			new Promise((done) => signal?.addEventListener('abort', () => done(err({ kind: 'cancelled' }))));
		expect(await asked(silent)).toEqual([{ kind: 'timed-out', what: 'list-sessions', afterMs: 5000 }, 0]);
	});
});
