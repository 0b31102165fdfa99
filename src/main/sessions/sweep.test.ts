import { expect, test } from 'vitest';
import type { SessionAccount } from '#main/service/session-client.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock, settle } from '#test/support/manual-clock.ts';
import {
	createLedgerDisk,
	createMemoryLedger,
	createScriptedAccount,
	OWN,
	SERVER_NOW,
	sessionAt,
} from '#test/support/sessions.ts';
import { type Ledger, type LedgerEntry, sessionLabel } from './ledger.ts';
import { createSweeper, sweepLedger } from './sweep.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const full: Problem = { kind: 'storage-failed', what: 'ledger: ENOSPC' };

function entry(intent: string, fields: Partial<LedgerEntry> = {}): LedgerEntry {
	return {
		intent,
		account: OWN,
		state: 'open',
		id: `id-${intent}`,
		owner: 'dead',
		expiresAt: null,
		lostAt: null,
		createdWall: SERVER_NOW - 10 * MINUTE,
		createdServer: SERVER_NOW - 10 * MINUTE,
		...fields,
	};
}

/** A ledger with these entries, owned by `this`, and an account that answers like this. */
async function swept(
	entries: readonly LedgerEntry[],
	answers: Partial<SessionAccount> = {},
	over: Partial<Ledger> = {},
	wall = SERVER_NOW,
) {
	const disk = createLedgerDisk();
	disk.entries = entries;
	const logged: string[] = [];
	const write = (message: string, facts?: object) => void logged.push(`${message} ${JSON.stringify(facts)}`);
	const log = { error: write, warn: write, info: write, debug: write };
	const ledger = { ...createMemoryLedger(disk, 'this'), ...over };
	const { account, asked } = createScriptedAccount(answers);
	const report = await sweepLedger({ account, ledger, wall: () => wall, log });
	return { report, asked, logged, left: disk.entries.map(({ intent }) => intent) };
}

const nothing = {
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

test('an empty ledger asks nobody and says so', async () => {
	expect(await swept([])).toEqual({ report: ok(nothing), asked: [], logged: [], left: [] });
});

test('what ended programs left is deleted, one by one, and counted as it went', async () => {
	const { report, asked, left, logged } = await swept([entry('a'), entry('b'), entry('c')], {
		remove: async (id) =>
			id === 'id-a' ? ok('deleted') : id === 'id-b' ? ok('absent') : err({ kind: 'forbidden', detail: '' }),
	});
	expect(asked).toEqual(['remove id-a', 'remove id-b', 'remove id-c']);
	expect(report).toEqual(
		ok({ ...nothing, deleted: 1, absent: 1, failed: 1, problem: { kind: 'forbidden', detail: '' } }),
	);
	expect(left).toEqual(['c']);
	expect(logged).toEqual([
		`leftover session {"session":"${sessionLabel('id-a')}","how":"deleted"}`,
		`leftover session {"session":"${sessionLabel('id-b')}","how":"absent"}`,
		`leftover session {"session":"${sessionLabel('id-c')}","how":"forbidden"}`,
		'leftover sessions {"deleted":1,"failed":1}',
	]);
});

test.each([
	{ kind: 'api-key-rejected', status: 401 },
	{ kind: 'service-unreachable', cause: 'ENOTFOUND' },
	{ kind: 'certificate-untrusted', cause: 'x' },
	{ kind: 'cancelled' },
	{ kind: 'rate-limited', retryAfterMs: 1000 },
] as const)('$kind would be answered for every other one too: none is tried after it', async (problem) => {
	const { report, asked, left } = await swept([entry('a'), entry('b'), entry('c')], {
		remove: async (id) => (id === 'id-a' ? ok('deleted') : err(problem)),
	});
	expect(asked).toEqual(['remove id-a', 'remove id-b']);
	expect(report).toEqual(ok({ ...nothing, deleted: 1, failed: 2, problem }));
	expect(left).toEqual(['b', 'c']);
});

test('forgets an undeletable session ten minutes after it has expired, and not before', async () => {
	const entries = [
		entry('just', { expiresAt: SERVER_NOW - 10 * MINUTE }),
		entry('long', { expiresAt: SERVER_NOW - 10 * MINUTE - 1 }),
		entry('unknown'),
	];
	const { left } = await swept(entries, { remove: async () => err({ kind: 'forbidden', detail: '' }) });
	expect(left).toEqual(['just', 'unknown']);
});

test('leaves sessions in use to their running program, but deletes those it gave up', async () => {
	const entries = [
		entry('open', { owner: 'this' }),
		entry('closing', { owner: 'this', state: 'closing' }),
		entry('asked', { owner: 'this', state: 'intent', id: null }),
		entry('theirs', { owner: 'this', state: 'handed-over' }),
	];
	const { report, asked, left } = await swept(entries);
	expect(asked).toEqual(['remove id-closing']);
	expect(report).toEqual(ok({ ...nothing, deleted: 1, inUse: 2, handedOver: 1 }));
	expect(left).toEqual(['open', 'asked', 'theirs']);
});

test('of other accounts what is long over is forgotten, and what they gave up although they run', async () => {
	const other = { account: 'another', expiresAt: SERVER_NOW - DAY };
	const { report, asked, left } = await swept([
		entry('day', other),
		entry('longer', { ...other, expiresAt: SERVER_NOW - DAY - 1 }),
		entry('runs', { ...other, owner: 'this', expiresAt: SERVER_NOW - 9 * DAY }),
		entry('gave-up', { ...other, owner: 'this', state: 'closing', expiresAt: SERVER_NOW - 9 * DAY }),
	]);
	expect([asked, left]).toEqual([[], ['day', 'runs']]);
	expect(report).toEqual(ok({ ...nothing, otherAccounts: 2, outdated: 2 }));
});

test.each([
	['this service is ahead', { heardNow: () => SERVER_NOW + 40 * DAY }, SERVER_NOW],
	['this computer is ahead', {}, SERVER_NOW + 40 * DAY],
	['this service has not told the time', { heardNow: () => null }, SERVER_NOW + 40 * DAY],
])('an open session of another account is not forgotten when %s', async (_why, answers, wall) => {
	const entries = [entry('open', { account: 'another', expiresAt: SERVER_NOW + MINUTE })];
	const { report, left } = await swept(entries, answers, {}, wall);
	expect(left).toEqual(['open']);
	expect(report).toEqual(ok({ ...nothing, otherAccounts: 1 }));
});

const lost = entry('lost', { state: 'intent', id: null, lostAt: SERVER_NOW - 5 * MINUTE });

test('a call without an answer is settled by a whole list on which nothing may be of it', async () => {
	const foreign = sessionAt('foreign', SERVER_NOW - 3 * DAY);
	const list = async () => ok({ sessions: [foreign], complete: true });
	expect(await swept([lost], { list })).toMatchObject({ report: ok(nothing), asked: ['list'], left: [] });
});

test.each([
	['a list that is cut off', async () => ok({ sessions: [], complete: false })],
	['no list', async () => err<Problem>({ kind: 'forbidden', detail: '' })],
	[
		'a session on it that may be of that call',
		async () => ok({ sessions: [sessionAt('maybe', SERVER_NOW - 10 * MINUTE)], complete: true }),
	],
])('%s leaves it open', async (_name, list) => {
	const { report, left } = await swept([lost], { list });
	expect([report, left]).toEqual([ok({ ...nothing, uncertain: 1 }), ['lost']]);
});

test('a session of another entry is not of that call', async () => {
	const used = entry('used', { owner: 'this', id: 'maybe' });
	const list = async () => ok({ sessions: [sessionAt('maybe', SERVER_NOW - 10 * MINUTE)], complete: true });
	expect((await swept([lost, used], { list })).left).toEqual(['used']);
});

test('a ledger that cannot be read or written is a problem, and nothing is counted', async () => {
	const broken = async () => err(full);
	expect((await swept([entry('a')], {}, { salt: broken })).report).toEqual(err(full));
	const unread = await swept([entry('a')], {}, { read: broken });
	expect([unread.report, unread.asked]).toEqual([err(full), []]);
	expect((await swept([entry('a')], {}, { change: broken })).report).toEqual(err(full));
});

test('nothing is written when nothing is to be dropped', async () => {
	const change = async () => err(full);
	const { report } = await swept([entry('open', { owner: 'this' })], {}, { change });
	expect(report).toEqual(ok({ ...nothing, inUse: 1 }));
});

test('a label names a session in eight letters that tell nothing of its id', () => {
	expect(sessionLabel('the-id')).toMatch(/^[0-9a-f]{8}$/);
	expect(sessionLabel('the-id')).not.toBe(sessionLabel('another-id'));
});

type Removed = Result<'deleted' | 'absent', Problem>;

const accountOf = (name: string, remove: SessionAccount['remove']) =>
	createScriptedAccount({ hash: (salt) => (salt === '' ? name : `${name}-${salt}`), remove });

/** A sweeper whose ledger has a leftover session of each of these accounts. */
function start(...names: readonly string[]) {
	const clock = createManualClock();
	const disk = createLedgerDisk();
	disk.entries = names.map(
		(name): LedgerEntry => ({
			intent: name,
			account: `${name}-pepper-and-salt`,
			state: 'open',
			id: `id-${name}`,
			owner: 'dead',
			expiresAt: null,
			lostAt: null,
			createdWall: SERVER_NOW,
			createdServer: SERVER_NOW,
		}),
	);
	const now = { account: accountOf('nobody', async () => ok('deleted')).account };
	const sweeper = createSweeper({
		api: { account: () => ok(now.account) },
		ledger: createMemoryLedger(disk, 'this'),
		clock,
		random: () => 0.5,
		log: silentLogger,
	});
	return { clock, sweeper, now };
}

test('a sweep is joined by those of its account, and followed by that of another', async () => {
	const { sweeper, now } = start('a', 'b');
	const held = Promise.withResolvers<Removed>();
	const a = accountOf('a', () => held.promise);
	const b = accountOf('b', async () => ok('deleted'));
	now.account = a.account;
	const first = sweeper.sweep();
	expect(sweeper.sweep()).toBe(first);
	await settle();
	now.account = b.account;
	const second = sweeper.sweep();
	expect(sweeper.sweep()).toBe(second);
	await settle();
	expect([a.asked, b.asked]).toEqual([['remove id-a'], []]);
	held.resolve(ok('deleted'));
	expect([await first, await second]).toMatchObject([{ value: { deleted: 1 } }, { value: { deleted: 1 } }]);
	expect([a.asked, b.asked]).toEqual([['remove id-a'], ['remove id-b']]);
});

test('is made again no sooner than a service that is asked too often allows', async () => {
	const { clock, sweeper, now } = start('a');
	const answers: Removed[] = [err({ kind: 'rate-limited', retryAfterMs: 40_000 }), ok('deleted')];
	const a = accountOf('a', async () => answers.shift() ?? ok('absent'));
	now.account = a.account;
	await sweeper.sweep();
	await clock.run(39_999);
	expect(a.asked).toHaveLength(1);
	await clock.run(1);
	expect(a.asked).toHaveLength(2);
});

test('holds up the first session of an account for three seconds at most, and no other', async () => {
	const { clock, sweeper, now } = start('a');
	const a = accountOf('a', () => new Promise(() => {}));
	now.account = a.account;
	let goesOn = false;
	void sweeper.before(a.account).then(() => {
		goesOn = true;
	});
	await clock.run(2999);
	expect(goesOn).toBe(false);
	await clock.run(1);
	expect(goesOn).toBe(true);
	await sweeper.before(a.account);
});
