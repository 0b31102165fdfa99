import { expect, test } from 'vitest';
import type { CreateFailure, SessionAccount } from '#main/service/session-client.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	createLedgerDisk,
	createMemoryLedger,
	createScriptedAccount,
	OWN,
	SERVER_NOW,
} from '#test/support/sessions.ts';
import { createRecorded } from './create-session.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';

const full: Problem = { kind: 'storage-failed', what: 'ledger: ENOSPC' };
const opened = { id: 'made', webrtcUrl: 'wss://room.example', publisher: 'token', tokenExpiresAt: null };

/** Creates over a ledger; `during`: what was in it when the service was asked. */
async function create(answers: Partial<SessionAccount> = {}, over: Partial<Ledger> = {}) {
	const disk = createLedgerDisk();
	const ledger = { ...createMemoryLedger(disk, 'this'), ...over };
	let during: readonly LedgerEntry[] = [];
	const { account, asked } = createScriptedAccount({
		...answers,
		create: async (signal) => {
			during = disk.entries;
			return (await answers.create?.(signal)) ?? ok(opened);
		},
	});
	const made = await createRecorded({ account, ledger, clock: createManualClock() });
	return { made, asked, during, left: disk.entries };
}

const failing = (failure: CreateFailure) => ({ create: async () => err(failure) });

test('the intent is in the ledger before the service is asked, and the id before anybody has it', async () => {
	const { made, during, left } = await create();
	expect(during).toEqual([
		{
			intent: expect.any(String),
			account: OWN,
			state: 'intent',
			id: null,
			owner: 'this',
			createdWall: createManualClock().wall(),
			createdServer: SERVER_NOW,
			expiresAt: null,
			lostAt: null,
		},
	]);
	expect(left).toEqual([{ ...during[0], id: 'made', state: 'open' }]);
	expect(made).toEqual(ok({ intent: during[0]?.intent, session: opened }));
});

const none = { created: 'no', lostIntent: null, toRemove: null };

test.each(['salt', 'change'] as const)('without the ledger (%s) the service is not asked', async (what) => {
	const { made, asked } = await create({}, { [what]: async () => err(full) });
	expect([made, asked]).toEqual([err({ problem: full, ...none }), []]);
});

test('a session whose id cannot be written down is given up', async () => {
	let writes = 0;
	const disk = createLedgerDisk();
	const inner = createMemoryLedger(disk, 'this');
	const change: Ledger['change'] = (edit) =>
		writes++ === 0 ? inner.change(edit) : Promise.resolve(err(full));
	const { made } = await create({}, { change });
	const intent = disk.entries[0]?.intent;
	expect(made).toEqual(err({ problem: full, ...none, toRemove: { intent, id: 'made' } }));
});

test('one whose room is somewhere it may not be is given up, and in the ledger as that', async () => {
	const refused: Problem = { kind: 'address-refused', host: 'evil.example' };
	const { made, left } = await create({ checkMediaAddress: () => refused });
	const [entry] = left;
	expect(entry).toMatchObject({ id: 'made', state: 'closing' });
	expect(made).toEqual(err({ problem: refused, ...none, toRemove: { intent: entry?.intent, id: 'made' } }));
});

const odd: Problem = { kind: 'unexpected-answer', what: 'create-session' };

test('one that was made although the answer is no use is given up by its id', async () => {
	const { made, left } = await create(failing({ problem: odd, created: 'answered', id: 'half-made' }));
	const [entry] = left;
	expect(entry).toMatchObject({ id: 'half-made', state: 'closing', lostAt: null });
	expect(made).toEqual(err({ problem: odd, ...none, toRemove: { intent: entry?.intent, id: 'half-made' } }));
});

test('a session that was not created is not in the ledger', async () => {
	const { made, left } = await create(failing({ problem: odd, created: 'no', id: null }));
	expect([made, left]).toEqual([err({ problem: odd, ...none }), []]);
});

test.each(['answered', 'unanswered'] as const)(
	'what may have been made (%s) stays, with its time',
	async (created) => {
		const { made, left } = await create(failing({ problem: odd, created, id: null }));
		const [entry] = left;
		expect(entry).toMatchObject({ id: null, state: 'intent', lostAt: SERVER_NOW });
		expect(made).toEqual(err({ problem: odd, created, lostIntent: entry?.intent, toRemove: null }));
	},
);
