import { describe, expect, test } from 'vitest';
import { ok } from '#shared/lib/result.ts';
import { createKeeperStage, createScriptedAccount, type Mishap, SERVER_NOW } from '#test/support/sessions.ts';
import type { HeldSession } from './held-session.ts';
import type { KeeperState } from './keeper-machine.ts';
import { isFresh, purposeOf } from './session-keeper.ts';

describe('two sessions side by side', () => {
	test('are opened at once, the one made ahead among them', async () => {
		const { keeper, service, over, prepared } = createKeeperStage();
		await prepared();
		const [one, other] = await over(2000, Promise.all([keeper.open(), keeper.open()]));
		expect([one.ok, other.ok]).toEqual([true, true]);
		expect(service.sessions.size).toBe(2);
	});

	test('the plan allows one: the other says so, and the first is not taken for a leftover', async () => {
		const { keeper, service, over } = createKeeperStage({ limit: 1 });
		const [one, other] = await over(8000, Promise.all([keeper.open(), keeper.open()]));
		const kinds = [one, other].map((grant) => (grant.ok ? 'open' : grant.error.kind));
		expect(kinds.sort()).toEqual(['open', 'session-limit']);
		expect(service.sessions.size).toBe(1);
		const held = one.ok ? one : other;
		if (held.ok) await over(2000, keeper.close(held.value.handle));
		expect(service.sessions.size).toBe(0);
	});
});

describe('a session made ahead', () => {
	test('is handed out without a request', async () => {
		const { keeper, clock, service, prepared } = createKeeperStage();
		keeper.prepare();
		await prepared();
		expect(service.sessions.size).toBe(1);
		const before = service.requests();
		let granted = false;
		void keeper.open().then((grant) => {
			granted = grant.ok;
		});
		await clock.run(0);
		expect(granted).toBe(true);
		expect(service.requests()).toBe(before);
	});

	test('is kept alive by the clock of the service, whatever ours says', async () => {
		const { service, prepared } = createKeeperStage({ skewMs: -86_400_000 });
		for (let minute = 0; minute < 60; minute++) {
			await prepared(60_000);
		}
		const [session] = service.sessions.values();
		expect(session && session.expiresAt - service.now()).toBeGreaterThan(250_000);
		expect([service.made(), service.sessions.size]).toEqual([1, 1]);
		expect(service.requests()).toBeLessThan(50);
	});

	test('is replaced, never doubled, before its token is too old to join with', async () => {
		const { keeper, clock, service, prepared } = createKeeperStage({
			tokenLifeMs: 300_000,
			skewMs: 3_600_000,
		});
		let most = 0;
		for (let second = 0; second < 250; second++) {
			await prepared(1000);
			most = Math.max(most, service.sessions.size);
		}
		expect([service.made(), service.sessions.size, most]).toEqual([2, 1, 1]);
		const before = service.requests();
		let granted = false;
		void keeper.open().then((grant) => {
			granted = grant.ok;
		});
		await clock.run(0);
		expect([granted, service.requests()]).toEqual([true, before]);
	});

	test('is given back when nobody seems to want it', async () => {
		const { clock, service, disk, prepared } = createKeeperStage();
		await prepared(100_000);
		await prepared(100_000);
		expect(service.sessions.size).toBe(1);
		await clock.run(30_000);
		expect(service.sessions.size).toBe(0);
		expect(disk.entries).toEqual([]);
		expect(clock.pending).toBe(0);
	});

	test('that the plan refuses is not tried again by itself', async () => {
		const { service, prepared } = createKeeperStage({ limit: 0 });
		await prepared(120_000);
		expect(service.requests()).toBe(1);
	});

	test('is made at once after the person ended a session', async () => {
		const { keeper, service, over, prepared } = createKeeperStage({ limit: 1 });
		service.addForeign();
		await over(3000, keeper.open());
		const rows = await over(1000, keeper.list());
		await over(1000, keeper.end(rows.ok ? (rows.value[0]?.handle ?? '') : ''));
		await prepared();
		expect(service.made()).toBe(1);
	});
});

describe('a granted session', () => {
	test('that is joined in time is left alone for as long as the conversation lasts', async () => {
		const { keeper, clock, service, opened, lost } = createKeeperStage();
		keeper.joined(await opened());
		for (let minute = 0; minute < 60; minute++) await clock.run(60_000);
		expect([service.sessions.size, lost]).toEqual([1, []]);
	});

	test('that a lagging service does not know yet is kept; one that is never found is deleted, not forgotten', async () => {
		const { keeper, clock, service, disk, mishaps, opened, lost } = createKeeperStage();
		mishaps.push('none', '404');
		keeper.joined(await opened());
		await clock.run(70_000);
		expect([lost, service.sessions.size, disk.entries.length]).toEqual([[], 1, 1]);
		mishaps.push('404');
		await clock.run(70_000);
		expect([lost.length, service.sessions.size, disk.entries]).toEqual([1, 0, []]);
	});

	test('is announced as lost when it is deleted under its user, and forgotten', async () => {
		const { keeper, clock, service, disk, opened, lost } = createKeeperStage();
		const handle = await opened();
		keeper.joined(handle);
		service.sessions.clear();
		await clock.run(62_000);
		expect(lost).toEqual([{ handle, problem: { kind: 'session-lost', cause: 'deleted' } }]);
		expect(disk.entries).toEqual([]);
	});

	test('is deleted in the background when closing it failed, and closing does not wait for that', async () => {
		const { keeper, clock, service, disk, mishaps, over, opened } = createKeeperStage();
		const handle = await opened();
		await clock.run(1000);
		mishaps.push('hang-before', 'hang-before', 'hang-before', 'hang-before');
		const started = clock.now();
		await over(5000, keeper.close(handle));
		expect(clock.now() - started).toBe(5000);
		await clock.run(60_000);
		expect(service.sessions.size).toBe(0);
		expect(disk.entries).toEqual([]);
		expect(clock.pending).toBe(0);
	});

	test('is not granted where its media would go somewhere else, and is deleted', async () => {
		const { keeper, service, disk, over } = createKeeperStage({ allowedHosts: ['other.example.com'] });
		const grant = await over(3000, keeper.open());
		expect(grant).toEqual({ ok: false, error: { kind: 'address-refused', host: 'media.example.com' } });
		expect(service.made()).toBe(1);
		expect(service.sessions.size).toBe(0);
		expect(disk.entries).toEqual([]);
	});
});

describe('a refused opening', () => {
	test('first clears away what a dead program left, so that the user never sees the limit', async () => {
		const { keeper, clock, service, disk, over, opened } = createKeeperStage({ limit: 1 });
		await opened();
		disk.entries = disk.entries.map((entry) => ({ ...entry, state: 'closing' }));
		await clock.run(1000);
		expect(await over(3000, keeper.open())).toMatchObject({ ok: true });
		expect(service.made()).toBe(2);
	});

	test('by the limit leaves foreign sessions alone and shows them', async () => {
		const { keeper, service, over } = createKeeperStage({ limit: 1 });
		service.addForeign();
		expect(await over(3000, keeper.open())).toMatchObject({ ok: false, error: { kind: 'session-limit' } });
		const rows = await over(1000, keeper.list());
		expect(rows.ok && rows.value.map((row) => row.owner)).toEqual(['foreign']);
		expect(await over(1000, keeper.end(rows.ok ? (rows.value[0]?.handle ?? '') : ''))).toEqual({
			ok: true,
			value: undefined,
		});
		expect(service.sessions.size).toBe(0);
	});

	test('by a lost answer is shown as probably ours and not repeated', async () => {
		const { keeper, service, mishaps, over } = createKeeperStage({ skewMs: 86_400_000 });
		mishaps.push('reset-after');
		expect(await over(3000, keeper.open())).toEqual({ ok: false, error: { kind: 'session-uncertain' } });
		expect(service.made()).toBe(1);
		const rows = await over(1000, keeper.list());
		expect(rows.ok && rows.value.map((row) => row.owner)).toEqual(['probably-ours']);
		await over(1000, keeper.sweep());
		expect(service.sessions.size).toBe(1);
	});

	test('by an answer that said nothing is not repeated either when the list is slow to show it', async () => {
		const { keeper, service, mishaps, over } = createKeeperStage();
		mishaps.push('500-after', '503-wait');
		expect(await over(12_000, keeper.open())).toEqual({ ok: false, error: { kind: 'session-uncertain' } });
		expect(service.made()).toBe(1);
		const rows = await over(1000, keeper.list());
		expect(rows.ok && rows.value.map((row) => row.owner)).toEqual(['probably-ours']);
	});

	test('for want of a network is followed by looks, not by more creates, until there is one again', async () => {
		const { keeper, clock, service, mishaps, over } = createKeeperStage();
		// A create, and the list after it.
		mishaps.push(...Array<Mishap>(8).fill('hang-before'));
		expect(await over(24_000, keeper.open())).toEqual({ ok: false, error: { kind: 'session-uncertain' } });
		for (let look = 0; look < 5; look += 1) {
			mishaps.length = 0;
			mishaps.push(...Array<Mishap>(4).fill('hang-before'));
			expect(await over(5100, keeper.open())).toMatchObject({ ok: false, error: { kind: 'timed-out' } });
		}
		expect(service.made()).toBe(0);
		mishaps.length = 0;
		const begun = clock.now();
		expect(await over(1000, keeper.open())).toMatchObject({ ok: true });
		expect([service.made(), clock.now() - begun]).toEqual([1, 1000]);
	});

	test('for want of a network is over when the service answers, but not with the page of somebody else', async () => {
		const { keeper, service, mishaps, over } = createKeeperStage();
		mishaps.push(...Array<Mishap>(8).fill('hang-before'));
		expect((await over(24_000, keeper.open())).ok).toBe(false);
		mishaps.length = 0;
		mishaps.push('html-after');
		expect(await over(2000, keeper.open())).toMatchObject({ error: { kind: 'not-the-service' } });
		expect(service.made()).toBe(0);
		mishaps.push('404');
		expect(await over(2000, keeper.open())).toMatchObject({ ok: true });
		expect(service.made()).toBe(1);
	});

	test('that takes longer than anybody waits is abandoned, and what it brings is deleted', async () => {
		const { keeper, clock, service, disk, mishaps, over } = createKeeperStage();
		mishaps.push('429-wait', '429-wait', 'hang-after', 'hang-before', 'hang-before', 'hang-before');
		const started = clock.now();
		let endedMs = 0;
		const opening = keeper.open().finally(() => {
			endedMs = clock.now() - started;
		});
		expect(await over(30_000, opening)).toEqual({
			ok: false,
			error: { kind: 'timed-out', what: 'session', afterMs: 25_000 },
		});
		expect(endedMs).toBe(25_000);
		const madeThen = service.made();
		await clock.run(300_000);
		expect(service.made()).toBe(madeThen);
		expect(disk.entries.filter((entry) => entry.id !== null)).toEqual([]);
		expect(clock.pending).toBe(0);
	});
});

test('closing everything tries the deletions that wait for their next try, and waits for them', async () => {
	const { keeper, clock, service, mishaps, disk, opened, over } = createKeeperStage();
	const handle = await opened();
	mishaps.push(...Array<Mishap>(40).fill('refused'));
	await over(20_000, keeper.close(handle));
	expect(service.sessions.size).toBe(1);
	// The line is back.
	mishaps.length = 0;
	let closed = false;
	void keeper.closeAll(5000).then(() => {
		closed = true;
	});
	await clock.run(100);
	expect(closed).toBe(false);
	await clock.run(100);
	expect([closed, service.sessions.size, disk.entries]).toEqual([true, 0, []]);
});

test('closing everything cancels an opening under way and deletes what it brings', async () => {
	const { keeper, clock, service, disk, over } = createKeeperStage();
	const opening = keeper.open();
	await clock.run(50);
	await over(1000, keeper.closeAll(5000));
	expect(await opening).toEqual({ ok: false, error: { kind: 'cancelled' } });
	expect(service.made()).toBe(1);
	expect(service.sessions.size).toBe(0);
	expect(disk.entries).toEqual([]);
	expect(clock.pending).toBe(0);
});

describe('a session of the list', () => {
	test('that is in use is announced as ended by the person before the service hears of it', async () => {
		const { keeper, service, disk, over, opened, lost } = createKeeperStage();
		const handle = await opened();
		keeper.joined(handle);
		const page = await over(1000, keeper.page(null));
		const row = page.ok ? page.value.rows[0] : undefined;
		expect(row?.owner).toBe('this-conversation');
		const ending = keeper.end(row?.handle ?? '');
		expect(lost).toEqual([{ handle, problem: { kind: 'session-lost', cause: 'ended-by-user' } }]);
		expect(service.sessions.size).toBe(1);
		expect(await over(1000, ending)).toMatchObject({ ok: true });
		expect([service.sessions.size, disk.entries]).toEqual([0, []]);
		expect(lost.length).toBe(1);
	});

	test.each([
		{ name: 'as often as it is tried is deleted all the same', failures: 3, left: 0 },
		{ name: 'twice as often is said not to be deleted, and is tried again later', failures: 6, left: 1 },
	])('of ours whose deletion fails $name', async ({ failures, left }) => {
		const { keeper, service, mishaps, over, opened, clock, disk } = createKeeperStage();
		keeper.joined(await opened());
		const page = await over(1000, keeper.page(null));
		for (let n = 0; n < failures; n++) mishaps.push('500-before');
		const ended = await over(4000, keeper.end((page.ok && page.value.rows[0]?.handle) || ''));
		expect([ended.ok, service.sessions.size]).toEqual([left === 0, left]);
		await clock.run(600_000);
		expect([service.sessions.size, disk.entries]).toEqual([0, []]);
	});

	test('lives as much longer as was asked, and says until when', async () => {
		const { keeper, clock, service, over, opened } = createKeeperStage({ skewMs: 3_600_000 });
		await opened();
		await clock.run(1000);
		const page = await over(1000, keeper.page(null));
		const { handle } = (page.ok && page.value.rows[0]) || { handle: '' };
		const extended = await over(1000, keeper.extend(handle, 3600));
		const [session] = service.sessions.values();
		expect(session && session.expiresAt - service.now()).toBeGreaterThan(3_590_000);
		expect(extended.ok && Math.abs((extended.value.expiresAt ?? 0) - (session?.expiresAt ?? 0))).toBeLessThan(
			1000,
		);
	});

	test('of somebody else is extended too, but one that is not listed is not', async () => {
		const { keeper, service, over } = createKeeperStage();
		service.addForeign();
		const page = await over(1000, keeper.page(null));
		const row = page.ok ? page.value.rows[0] : undefined;
		expect(row?.owner).toBe('foreign');
		expect(await over(1000, keeper.extend(row?.handle ?? '', 1800))).toMatchObject({ ok: true });
		expect(await keeper.extend('made-up', 60)).toMatchObject({ ok: false, error: { kind: 'not-found' } });
	});

	test('comes with the time of the service, so that what is left can be counted', async () => {
		const { keeper, service, over } = createKeeperStage({ skewMs: 3_600_000 });
		const page = await over(1000, keeper.page(null));
		expect(page.ok && Math.abs(page.value.serverNow - service.now())).toBeLessThan(2000);
	});
});

describe('a clean-up', () => {
	const day = 86_400_000;

	test('forgets what other accounts left when it has expired for longer than a day, and sends nothing', async () => {
		const { keeper, clock, service, disk, over, opened } = createKeeperStage();
		await opened();
		await clock.run(1000);
		const [own] = disk.entries;
		if (!own) throw new Error('no entry');
		const now = clock.wall();
		const other = { ...own, account: 'other', owner: 'dead', state: 'open' as const };
		disk.entries = [
			own,
			{ ...other, intent: 'old', id: 'a', expiresAt: now - day - 60_000 },
			{ ...other, intent: 'young', id: 'b', expiresAt: now - day + 60_000 },
			{ ...other, intent: 'unknown-old', id: 'c', createdServer: now - 33 * day, expiresAt: null },
			{ ...other, intent: 'unknown-young', id: 'd', createdServer: now - 31 * day, expiresAt: null },
			{ ...other, intent: 'in-use', id: 'e', owner: own.owner, expiresAt: now - 9 * day },
		];
		const before = service.requests();
		const swept = await over(1000, keeper.sweep());
		expect(swept).toMatchObject({ ok: true, value: { otherAccounts: 3, outdated: 2, inUse: 1 } });
		expect(disk.entries.map(({ intent }) => intent)).toEqual([
			own.intent,
			'young',
			'unknown-young',
			'in-use',
		]);
		expect(service.requests()).toBe(before);
	});
});

test('never deletes a session that was handed over, even after its creator has ended', async () => {
	const { keeper, service, disk, over, opened } = createKeeperStage();
	await opened();
	disk.entries = disk.entries.map((entry) => ({ ...entry, owner: 'dead', state: 'handed-over' as const }));
	expect(await over(1000, keeper.sweep())).toMatchObject({ ok: true, value: { deleted: 0, handedOver: 1 } });
	expect([service.sessions.size, disk.entries.length]).toEqual([1, 1]);
});

describe('what a program that died has left', () => {
	/** A session of a dead program in the ledger, and no way to the service. */
	async function leftover() {
		const world = createKeeperStage();
		await world.opened();
		world.disk.entries = world.disk.entries.map((entry) => ({ ...entry, owner: 'dead' }));
		world.mishaps.push(...Array.from({ length: 500 }, () => 'refused' as const));
		return world;
	}

	test('is cleared away within a minute of the network being back, with few requests until then', async () => {
		const { keeper, clock, service, disk, mishaps } = await leftover();
		void keeper.sweep();
		await clock.run(200_000);
		expect(service.sessions.size).toBe(1);
		const asked = service.requests();
		await clock.run(200_000);
		expect(service.requests() - asked).toBeLessThan(50);
		mishaps.length = 0;
		await clock.run(65_000);
		expect([service.sessions.size, disk.entries]).toEqual([0, []]);
	});

	test('is not tried for ever, nor after the program has let go of everything', async () => {
		const { keeper, clock, mishaps } = await leftover();
		mishaps.push(...Array.from({ length: 5000 }, () => 'refused' as const));
		void keeper.sweep();
		await clock.run(60_000);
		void keeper.closeAll(1000);
		await clock.run(20_000);
		const { length } = mishaps;
		await clock.run(600_000);
		expect(length - mishaps.length).toBeLessThan(20);
	});
});

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
		{ phase: 'opening', use: 'prepared' } as const,
		held(null),
		{ phase: 'abandoning' } as const,
		{ phase: 'closing', failures: 0 } as const,
		{ phase: 'gone' } as const,
	].map((state) => purposeOf(session(state)));
	expect(purposes).toEqual(['prepared', 'granted', null, null, null]);
});

test('one that is being opened is fresh, one on its way out is not', () => {
	expect(isFresh(session({ phase: 'opening', use: 'prepared' }, SERVER_NOW))).toBe(true);
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
