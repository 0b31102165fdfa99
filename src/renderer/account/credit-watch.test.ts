import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { ConversationView } from '#renderer/conversation/conversation.ts';
import type { AccountStatus, Balance } from '#shared/host/contract.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createFakeConversation } from '#test/support/fake-conversation.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { type CreditUseView, noCreditUse, watchCredit } from './credit-watch.ts';

const MINUTE = 60_000;

type Account = Pick<AccountStatus, 'revision' | 'service' | 'key'>;
const account: Account = {
	revision: 1,
	service: 'service',
	key: { present: true, lastFour: '', source: 'keychain', keychain: 'available' },
};

/** Each answer of the service in its turn; the last one again and again. */
function rig(
	answers: readonly (number | Balance | Problem | Promise<Result<Balance, Problem>>)[],
	status = account,
	begun: Partial<ConversationView> = {},
) {
	const clock = createManualClock();
	const conversation = createFakeConversation(clock);
	conversation.show(begun);
	const askedAt: number[] = [];
	const creditUse = createStore<CreditUseView>(() => noCreditUse);
	const accounts = createStore(() => ({ status }));
	const end = watchCredit({
		conversation,
		clock,
		creditUse,
		account: { store: accounts },
		async ask() {
			askedAt.push(clock.now() / MINUTE);
			const answer = answers[Math.min(askedAt.length, answers.length) - 1];
			if (typeof answer === 'number') return ok({ credits: answer, usd: null });
			if (!answer || answer instanceof Promise) return answer ?? err({ kind: 'bug', where: 'test' });
			return 'kind' in answer ? err(answer) : ok(answer);
		},
	});
	const live = async (more: { paused?: boolean; interpretedMs?: number } = {}) => {
		const liveSinceMs = conversation.store.getState().liveSinceMs ?? clock.now();
		const countingSinceMs = more.paused ? null : clock.now();
		conversation.show({ phase: 'live', liveSinceMs, countingSinceMs, ...more });
		await clock.run(0);
	};
	/** It is live, for so long. */
	const start = async (ms = 0) => {
		conversation.show({ phase: 'preparing' });
		await live();
		await clock.run(ms);
	};
	const dismiss = () => creditUse.setState({ isPutAway: true });
	return {
		clock,
		conversation,
		accounts,
		askedAt,
		live,
		start,
		end,
		dismiss,
		shown: () => creditUse.getState(),
	};
}

test.each<[string, Partial<ConversationView>, number]>([
	['is live already', { phase: 'live', liveSinceMs: 0 }, 1],
	['is over', { phase: 'idle', liveSinceMs: 0 }, 0],
	['is not live yet', { phase: 'starting' }, 0],
])(
	'of a conversation that %s when it is first followed, the credit is asked for at once or not yet',
	async (_, begun, times) => {
		const { askedAt, clock } = rig([100], account, begun);
		await clock.run(0);
		expect(askedAt).toHaveLength(times);
	},
);

test('asks for the credit at the start of a conversation, every five minutes, and once after it', async () => {
	const { clock, conversation, askedAt, start, shown } = rig([100, 98.5, 98, 97]);
	await start();
	expect([askedAt, shown()]).toEqual([[0], noCreditUse]);
	await clock.run(5 * MINUTE - 1);
	expect(askedAt).toEqual([0]);
	await clock.run(1);
	expect(shown()).toEqual({ used: { credits: 1.5, usd: null }, lastsMs: null });
	await clock.run(5 * MINUTE);
	expect(shown().used).toEqual({ credits: 2, usd: null });
	await clock.run(MINUTE);
	conversation.show({ phase: 'ending' });
	conversation.show({ phase: 'idle' });
	await clock.run(4999);
	expect(askedAt).toEqual([0, 5, 10]);
	await clock.run(1);
	expect([askedAt.length, shown().used]).toEqual([4, { credits: 3, usd: null }]);
	await clock.run(60 * MINUTE);
	expect([askedAt.length, clock.pending]).toEqual([4, 0]);
	// The next one begins with nothing.
	conversation.show({ phase: 'preparing' });
	expect(shown()).toEqual(noCreditUse);
});

test('a top-up does not reduce the credit used; shows credits and dollars', async () => {
	const { clock, start, shown } = rig([
		{ credits: 10, usd: 1 },
		{ credits: 8, usd: 0.75 },
		{ credits: 108, usd: 10.75 },
		{ credits: 105, usd: null },
		{ credits: null, usd: 10.5 },
	]);
	await start(10 * MINUTE);
	expect(shown().used).toEqual({ credits: 2, usd: 0.25 });
	await clock.run(10 * MINUTE);
	expect(shown().used).toEqual({ credits: 5, usd: 0.25 });
});

test('when what is left lasts for less than a quarter of an hour it is said, and asked for each minute', async () => {
	const { clock, askedAt, start, shown } = rig([400, 300, 299, 0, 500]);
	await start();
	// At 20 credits a minute 300 last for just a quarter of an hour.
	await clock.run(5 * MINUTE);
	expect(shown()).toEqual({ used: { credits: 100, usd: null }, lastsMs: null });
	await clock.run(5 * MINUTE);
	expect(shown().lastsMs).toBeNull();
	await clock.run(5 * MINUTE);
	expect([askedAt, shown()]).toEqual([[0, 5, 10, 15], { used: { credits: 400, usd: null }, lastsMs: 0 }]);
	await clock.run(MINUTE);
	expect([askedAt.at(-1), shown().lastsMs]).toEqual([16, null]);
	await clock.run(4 * MINUTE);
	expect(askedAt.at(-1)).toBe(16);
});

test.each([
	[{ credits: 200, usd: null }, { credits: 150, usd: null }, 15 * MINUTE],
	[{ credits: 200, usd: null }, { credits: 149.9, usd: null }, 14.96 * MINUTE],
	[{ credits: null, usd: 2 }, { credits: null, usd: 1 }, 5 * MINUTE],
])('of %o at first and then %o, the time that it lasts follows from the pace', async (first, then, ms) => {
	const { conversation, start, shown } = rig([first, then]);
	await start(5 * MINUTE);
	const { lastsMs } = shown();
	if (ms === 15 * MINUTE) expect(lastsMs).toBeNull();
	else expect(Math.abs((lastsMs ?? 0) - ms)).toBeLessThan(0.01 * MINUTE);
	// A conversation that is over cannot run out of credit.
	conversation.show({ phase: 'idle' });
	expect(shown().lastsMs).toBeNull();
});

test('a pause is not asked in, and is no part of the pace; what was due is asked after it', async () => {
	const { clock, askedAt, live, start, shown } = rig([40, 20]);
	await start(4 * MINUTE);
	await live({ paused: true, interpretedMs: 4 * MINUTE });
	await clock.run(60 * MINUTE);
	expect(askedAt).toEqual([0]);
	await live({ interpretedMs: 4 * MINUTE });
	expect(askedAt).toEqual([0, 64]);
	// 20 in 4 minutes: 20 more last as long.
	expect(shown()).toEqual({ used: { credits: 20, usd: null }, lastsMs: 4 * MINUTE });
});

test('a warning that was read stays away, however often the credit is asked for, and comes again in the next conversation', async () => {
	const { clock, conversation, start, dismiss, shown } = rig([400, 200, 190, 180, 170, 170, 80]);
	await start(5 * MINUTE);
	expect(shown()).toMatchObject({ lastsMs: 5 * MINUTE });
	expect(shown().isPutAway).toBeUndefined();
	dismiss();
	for (let time = 0; time < 2; time += 1) {
		await clock.run(MINUTE);
		expect(shown().isPutAway).toBe(true);
	}
	conversation.show({ phase: 'idle' });
	await clock.run(MINUTE);
	await start(5 * MINUTE);
	expect(shown().lastsMs).toBeLessThan(5 * MINUTE);
	expect(shown().isPutAway).toBeUndefined();
});

test('the pace of a conversation is its own, however long the one before was', async () => {
	const { clock, conversation, start, shown } = rig([400, 399, 399, 399, 399, 30, 20]);
	await start(15 * MINUTE);
	conversation.show({ phase: 'idle' });
	await clock.run(MINUTE);
	await start(5 * MINUTE);
	expect(shown()).toEqual({ used: { credits: 10, usd: null }, lastsMs: 10 * MINUTE });
});

test('another account is not compared with the one of the conversation', async () => {
	const { clock, conversation, accounts, askedAt, start, shown } = rig([100, 99, 1]);
	await start(5 * MINUTE);
	conversation.show({ phase: 'idle' });
	accounts.setState({ status: { ...account, revision: 2 } });
	await clock.run(MINUTE);
	expect([askedAt, shown().used]).toEqual([[0, 5], { credits: 1, usd: null }]);
});

test('nor is one that takes its place while the last words are heard', async () => {
	const { clock, conversation, accounts, askedAt, start, shown } = rig([100, 99, 1]);
	await start(5 * MINUTE);
	conversation.show({ phase: 'ending' });
	accounts.setState({ status: { ...account, revision: 2 } });
	conversation.show({ phase: 'idle' });
	await clock.run(MINUTE);
	expect([askedAt, shown().used]).toEqual([[0, 5], { credits: 1, usd: null }]);
});

test('what else changes in the account while it runs does not end the watch', async () => {
	const { clock, accounts, start, shown } = rig([100, 99]);
	await start();
	accounts.setState({ status: { ...account, revision: 2 } });
	await clock.run(5 * MINUTE);
	expect(shown().used).toEqual({ credits: 1, usd: null });
});

test('a service that tells it no more leaves no warning behind', async () => {
	const { clock, start, shown } = rig([20, 10, { kind: 'balance-unavailable' }]);
	await start(5 * MINUTE);
	expect(shown().lastsMs).toBe(5 * MINUTE);
	await clock.run(MINUTE);
	expect([shown().lastsMs, clock.pending]).toEqual([null, 0]);
});

test('of two directions one that is begun anew begins nothing anew, and its short time is not the pace', async () => {
	const { clock, conversation, askedAt, start, shown } = rig([200, 190, 180]);
	await start(5 * MINUTE);
	conversation.show({ phase: 'reconnecting', liveSinceMs: null });
	conversation.show({ phase: 'live', liveSinceMs: clock.now(), countingSinceMs: clock.now() });
	await clock.run(0);
	expect(askedAt).toEqual([0, 5]);
	await clock.run(MINUTE);
	conversation.show({ phase: 'live', liveSinceMs: clock.now(), countingSinceMs: clock.now() });
	await clock.run(4 * MINUTE);
	expect([askedAt, shown()]).toEqual([[0, 5, 10], { used: { credits: 20, usd: null }, lastsMs: null }]);
});

test('a conversation that is started while the last words of another are heard begins with nothing', async () => {
	const { conversation, start, shown } = rig([100, 90]);
	await start(5 * MINUTE);
	expect(shown().used).not.toBeNull();
	conversation.show({ phase: 'ending' });
	conversation.show({ phase: 'preparing' });
	expect(shown()).toEqual(noCreditUse);
});

test.each([
	[0.004, null],
	[0.005, 0.005],
])('of %d that were used %d is shown', async (used, seen) => {
	const { start, shown } = rig([1, 1 - used]);
	await start(5 * MINUTE);
	expect([shown().used?.credits ?? null]).toEqual([seen && expect.closeTo(seen, 6)]);
});

test('a service that does not tell it is asked once in a conversation', async () => {
	const { clock, conversation, askedAt, start, shown } = rig([{ kind: 'balance-unavailable' }]);
	await start(30 * MINUTE);
	conversation.show({ phase: 'idle' });
	await clock.run(MINUTE);
	expect([askedAt, shown(), clock.pending]).toEqual([[0], noCreditUse, 0]);
	await start();
	expect(askedAt).toHaveLength(2);
});

test('ignores a failed answer and keeps the known credit', async () => {
	const failed: Problem = { kind: 'service-unreachable', cause: 'ECONNREFUSED' };
	const { clock, start, shown } = rig([50, 49, failed, 47]);
	await start(10 * MINUTE);
	expect(shown().used).toEqual({ credits: 1, usd: null });
	await clock.run(5 * MINUTE);
	expect(shown().used).toEqual({ credits: 3, usd: null });
});

test('a conversation that failed and goes on is asked for again, and goes on counting', async () => {
	const { clock, conversation, start, askedAt, shown } = rig([1000, 990, 980, 960]);
	await start(5 * MINUTE);
	conversation.show({ phase: 'failed' });
	await clock.run(2 * MINUTE);
	expect(shown().used?.credits).toBe(20);
	const asked = askedAt.length;
	conversation.show({ phase: 'reconnecting', liveSinceMs: 0 });
	await clock.run(0);
	expect(askedAt).toHaveLength(asked + 1);
	expect(shown().used?.credits).toBe(40);
	conversation.show({ phase: 'live', liveSinceMs: 0, countingSinceMs: clock.now() });
	await clock.run(5 * MINUTE);
	expect(askedAt).toHaveLength(asked + 2);
});

test('a reconnection neither begins anew nor asks more often', async () => {
	const { clock, conversation, askedAt, live, start } = rig([50]);
	await start(3 * MINUTE);
	conversation.store.setState({ phase: 'reconnecting' });
	await clock.run(MINUTE);
	await live();
	await clock.run(MINUTE);
	expect(askedAt).toEqual([0, 5]);
});

test('an answer that comes after the end, or in the next conversation, changes nothing', async () => {
	const answered: ((credits: number) => void)[] = [];
	const late = () =>
		new Promise<Result<Balance, Problem>>((done) => {
			answered.push((credits) => done(ok({ credits, usd: null })));
		});
	const { clock, conversation, start, shown, end } = rig([late(), 90, late(), 80, 70]);
	await start();
	conversation.show({ phase: 'failed' });
	await clock.run(5000);
	answered[0]?.(100);
	await clock.run(0);
	expect(shown()).toEqual(noCreditUse);
	await start();
	conversation.show({ phase: 'idle' });
	await start();
	answered[1]?.(500);
	await clock.run(5 * MINUTE);
	expect(shown().used).toEqual({ credits: 10, usd: null });
	end();
	expect([shown(), clock.pending]).toEqual([noCreditUse, 0]);
	await start();
	expect(shown()).toEqual(noCreditUse);
});

test.each([
	['the sandbox, which costs nothing,', { ...account, service: 'sandbox' }],
	['this computer, which costs nothing either,', { ...account, service: 'local' }],
	['an account without a key', { ...account, key: { ...account.key, present: false } }],
] as const)('%s is never asked', async (_, status) => {
	const { clock, conversation, askedAt, start } = rig([100], status);
	await start(10 * MINUTE);
	conversation.show({ phase: 'idle' });
	await clock.run(MINUTE);
	expect(askedAt).toEqual([]);
});

test('a service that does not tell it is not asked again after a pause', async () => {
	const { clock, askedAt, live, start } = rig([{ kind: 'balance-unavailable' }]);
	await start(4 * MINUTE);
	await live({ paused: true, interpretedMs: 4 * MINUTE });
	await clock.run(MINUTE);
	await live({ interpretedMs: 4 * MINUTE });
	await clock.run(30 * MINUTE);
	expect([askedAt, clock.pending]).toEqual([[0], 0]);
});

test('nor is the sandbox asked after a pause', async () => {
	const { clock, askedAt, live, start } = rig([100], { ...account, service: 'sandbox' });
	await start();
	await live({ paused: true });
	await live();
	await clock.run(30 * MINUTE);
	expect(askedAt).toEqual([]);
});

test('shows the dollars used if the account has only dollars', async () => {
	const { start, shown } = rig([
		{ credits: null, usd: 200 },
		{ credits: null, usd: 199.75 },
	]);
	await start(5 * MINUTE);
	expect(shown()).toEqual({ used: { credits: null, usd: 0.25 }, lastsMs: null });
});

test('where dollars are used and credits are not, the dollars say for how long it lasts', async () => {
	const { start, shown } = rig([
		{ credits: 0, usd: 2 },
		{ credits: 0, usd: 1 },
	]);
	await start(5 * MINUTE);
	expect(shown()).toEqual({ used: { credits: 0, usd: 1 }, lastsMs: 5 * MINUTE });
});
