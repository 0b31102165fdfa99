import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock, settle } from '#test/support/manual-clock.ts';
import { createLedgerDisk, createMemoryLedger } from '#test/support/memory-ledger.ts';
import { createScriptedAccount, SERVER_NOW } from '#test/support/scripted-account.ts';
import type { LedgerEntry } from './ledger.ts';
import type { SessionAccount } from './session-api.ts';
import { createSweeper } from './sweep-times.ts';

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

test('is made again where a network did not let it through, also after a rest', async () => {
	const { clock, sweeper, now } = start('a');
	sweeper.rest();
	const answers: Removed[] = [err({ kind: 'certificate-untrusted', cause: 'x' }), ok('deleted')];
	const a = accountOf('a', async () => answers.shift() ?? ok('absent'));
	now.account = a.account;
	expect(await sweeper.sweep()).toMatchObject({ value: { failed: 1 } });
	await clock.run(60_000);
	expect([a.asked, clock.pending]).toEqual([['remove id-a', 'remove id-a'], 0]);
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
