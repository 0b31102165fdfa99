import { describe, expect, test } from 'vitest';
import { createKeeperStage, type Mishap } from '#test/support/sessions.ts';

const DAY_MS = 86_400_000;
const ok = { ok: true, value: undefined };

describe('a session made ahead', () => {
	test('is this app’s in the list, and nobody’s conversation when the person ends it there', async () => {
		const { keeper, clock, service, over, lost, prepared } = createKeeperStage();
		await prepared();
		const page = await over(1000, keeper.page(null));
		const row = page.ok ? page.value.rows[0] : undefined;
		expect(row?.owner).toBe('this-app');
		expect(await over(1000, keeper.end(row?.handle ?? ''))).toEqual(ok);
		expect([lost, service.sessions.size]).toEqual([[], 0]);
		// Nor is it replaced: the person has just ended it.
		await clock.run(60_000);
		expect(service.made()).toBe(1);
		expect((await over(1000, keeper.open())).ok).toBe(true);
		expect([service.made(), service.sessions.size]).toEqual([2, 1]);
	});

	test('that is gone is replaced after half a minute while one is wanted, and not after that', async () => {
		const wanted = createKeeperStage({ preparedIdleMs: 600_000 });
		await wanted.prepared();
		wanted.service.sessions.clear();
		let goneMs = 0;
		for (let second = 0; second < 600 && wanted.service.made() === 1; second += 1) {
			if (goneMs === 0 && wanted.disk.entries.length === 0) goneMs = wanted.clock.now();
			await wanted.clock.run(1000);
		}
		expect(goneMs).toBeGreaterThan(2000);
		expect(wanted.service.sessions.size).toBe(1);
		expect(wanted.clock.now() - goneMs).toBeGreaterThanOrEqual(30_000);
		expect(wanted.clock.now() - goneMs).toBeLessThanOrEqual(32_000);

		const late = createKeeperStage({ preparedIdleMs: goneMs + 10_000 });
		await late.prepared();
		late.service.sessions.clear();
		await late.clock.run(goneMs + 10_000);
		expect(late.clock.pending).toBe(0);
		await late.clock.run(60_000);
		expect(late.service.made()).toBe(1);
	});

	test('that is gone is not replaced once everything was closed', async () => {
		const { keeper, clock, service, disk, over, prepared } = createKeeperStage({ preparedIdleMs: 600_000 });
		await prepared();
		service.sessions.clear();
		for (let second = 0; second < 600 && disk.entries.length > 0; second += 1) await clock.run(1000);
		expect(disk.entries).toEqual([]);
		await over(1000, keeper.closeAll(1000));
		await clock.run(60_000);
		expect(service.made()).toBe(1);
	});

	test.each([
		['nobody wants one any more', 'cool', 0],
		['the machine goes to sleep', 'suspend', 0],
		['everything is closed', 'closeAll', 0],
		['somebody presses Start', 'open', 1],
	] as const)(
		'is not made when leftovers were being cleared away first and %s meanwhile',
		async (_, does, made) => {
			const { clock, service, startedAgain } = createKeeperStage();
			const next = await startedAgain();
			next.prepare();
			await clock.run(50);
			expect(service.made()).toBe(1);
			if (does === 'closeAll') void next.closeAll(1000);
			else if (does === 'open') void next.open();
			else next[does]();
			await clock.run(20_000);
			expect([service.made() - 1, service.sessions.size]).toEqual([made, made]);
		},
	);

	test('is not made beside one that somebody has, joined or not, and is once that is on its way out', async () => {
		const { keeper, clock, service, opened, prepared, mishaps } = createKeeperStage();
		const handle = await opened();
		await prepared();
		expect(service.made()).toBe(1);
		keeper.joined(handle);
		await prepared();
		expect(service.made()).toBe(1);
		mishaps.push('slow');
		void keeper.close(handle);
		await clock.run(0);
		await prepared();
		expect([service.made(), service.sessions.size]).toEqual([2, 2]);
		await clock.run(4000);
		expect(service.sessions.size).toBe(1);
	});

	test('is lost to who took it and never joined, as any other', async () => {
		const { clock, opened, lost, prepared } = createKeeperStage();
		await prepared();
		const handle = await opened();
		await clock.run(160_000);
		expect(lost).toEqual([{ handle, problem: { kind: 'session-lost', cause: 'never-joined' } }]);
	});

	test('of another key is deleted first, so that it does not fill the plan', async () => {
		const { keeper, service, key, over, prepared } = createKeeperStage({ limit: 1 });
		await prepared();
		const [first] = service.sessions.keys();
		const before = service.requests();
		key.now = 'another-key';
		expect((await over(3000, keeper.open())).ok).toBe(true);
		expect([service.sessions.has(first ?? ''), service.sessions.size]).toEqual([false, 1]);
		// Its deletion, a look and one session: none was refused before that.
		expect(service.requests() - before).toBe(3);
	});

	test('is asked for neither without a key nor where none is to be kept', async () => {
		const keyless = createKeeperStage();
		keyless.key.now = '';
		await keyless.prepared();
		expect(keyless.service.requests()).toBe(0);
		keyless.key.now = 'the-key';
		await keyless.prepared();
		expect(keyless.service.made()).toBe(1);

		const never = createKeeperStage({ preparedIdleMs: 0 });
		never.keeper.prepare();
		expect(never.clock.pending).toBe(0);
		await never.clock.run(2000);
		expect(never.service.requests()).toBe(0);
	});

	test('that failed is tried again after half a minute by itself, unless it was refused', async () => {
		const failing = createKeeperStage({ preparedIdleMs: 600_000 });
		failing.mishaps.push(...Array<Mishap>(3).fill('500-before'));
		await failing.prepared(25_000);
		expect(failing.service.made()).toBe(0);
		failing.mishaps.length = 0;
		await failing.clock.run(20_000);
		expect(failing.service.made()).toBe(1);
	});

	test('whose answer was lost is not asked for again while it may be open, until somebody presses Start', async () => {
		const { keeper, clock, service, mishaps, over, prepared } = createKeeperStage({
			preparedIdleMs: 600_000,
			skewMs: 86_400_000,
		});
		mishaps.push('reset-after');
		keeper.prepare();
		for (let minute = 0; minute < 5; minute += 1) {
			await clock.run(60_000);
			keeper.prepare();
		}
		expect(service.made()).toBe(1);
		// The first answer told the service's time: the list knows whose it is.
		const rows = await over(1000, keeper.list());
		expect(rows.ok && rows.value.map((row) => row.owner)).toEqual(['probably-ours']);
		const started = await over(3000, keeper.open());
		expect([started.ok, service.made()]).toEqual([true, 2]);
		if (started.ok) await over(1000, keeper.close(started.value.handle));
		await clock.run(30_000);
		await prepared();
		expect(service.made()).toBe(3);
	});

	test('whose answer was lost after Start took it is shown as probably ours', async () => {
		const { keeper, mishaps, over, prepared } = createKeeperStage();
		mishaps.push('hang-after');
		await prepared(7000);
		expect(await over(10_000, keeper.open())).toEqual({ ok: false, error: { kind: 'session-uncertain' } });
		const rows = await over(1000, keeper.list());
		expect(rows.ok && rows.value.map((row) => row.owner)).toEqual(['probably-ours']);
	});

	test('that the service forbids is not tried again by itself', async () => {
		const { service, mishaps, prepared } = createKeeperStage({ preparedIdleMs: 600_000 });
		mishaps.push('403');
		await prepared(300_000);
		expect(service.made()).toBe(0);
		await prepared();
		expect(service.made()).toBe(1);
	});

	test('is not made beside an opening that is still looking whether anybody is there', async () => {
		const { keeper, clock, service, mishaps, over } = createKeeperStage();
		mishaps.push(...Array<Mishap>(8).fill('hang-before'));
		await over(24_000, keeper.open());
		mishaps.length = 0;
		mishaps.push('slow');
		const opening = keeper.open();
		await clock.run(100);
		keeper.prepare();
		expect((await over(10_000, opening)).ok).toBe(true);
		expect([service.made(), service.sessions.size]).toEqual([1, 1]);
	});

	test('of one account that was refused does not hold up that of another', async () => {
		const { service, key, prepared } = createKeeperStage({ limit: 1 });
		service.addForeign();
		await prepared();
		expect(service.made()).toBe(0);
		service.sessions.clear();
		await prepared();
		expect(service.made()).toBe(0);
		key.now = 'another-key';
		await prepared();
		expect(service.made()).toBe(1);
	});

	test('whose token holds for a month is not replaced for it', async () => {
		const { keeper, clock, service, prepared } = createKeeperStage({
			tokenLifeMs: 30 * DAY_MS,
			preparedIdleMs: DAY_MS,
		});
		await prepared(4 * 3_600_000);
		expect([service.made(), service.sessions.size]).toEqual([1, 1]);
		keeper.cool();
		await clock.run(2000);
		expect(clock.pending).toBe(0);
	});

	test('is given back at once with everything else, and leaves no timer', async () => {
		const { keeper, clock, service, opened, disk, prepared } = createKeeperStage({ tokenLifeMs: 300_000 });
		const joined = await opened();
		keeper.joined(joined);
		const closing = keeper.close(joined);
		await prepared();
		await closing;
		expect(service.sessions.size).toBe(1);
		await opened();
		keeper.prepare();
		let sessionsThen = -1;
		void keeper.closeAll(5000).then(() => {
			sessionsThen = service.sessions.size;
		});
		await clock.run(1000);
		expect([sessionsThen, disk.entries, clock.pending]).toEqual([0, [], 0]);
	});

	test('is not replaced where it is no longer wanted while the old one is being deleted', async () => {
		const { keeper, clock, service, mishaps } = createKeeperStage({
			tokenLifeMs: 300_000,
			preparedIdleMs: 600_000,
		});
		keeper.prepare();
		// It is renewed 90 s before its token ends: a minute to join, half a minute to renew.
		await clock.run(200_000);
		expect(service.made()).toBe(1);
		mishaps.push('slow');
		await clock.run(12_000);
		keeper.cool();
		await clock.run(60_000);
		expect([service.made(), service.sessions.size, clock.pending]).toEqual([1, 0, 0]);
	});
});

describe('opening', () => {
	const cancelled = { ok: false, error: { kind: 'cancelled' } };

	test('in the pause after a refusal nothing is prepared, and a person is not held up', async () => {
		const { keeper, service, over, prepared } = createKeeperStage({ limit: 1 });
		service.addForeign();
		await over(3000, keeper.open());
		service.sessions.clear();
		const before = service.requests();
		await prepared(1000);
		expect(service.requests()).toBe(before);
		expect((await over(2000, keeper.open())).ok).toBe(true);
	});

	test('without a key says so', async () => {
		const { keeper, key, service } = createKeeperStage();
		key.now = '';
		expect(await keeper.open()).toMatchObject({ ok: false, error: { kind: 'api-key-missing' } });
		expect(service.requests()).toBe(0);
	});

	test('clears away first what a dead program left, also where the plan has room', async () => {
		const { service, over, startedAgain } = createKeeperStage();
		const next = await startedAgain();
		const [left] = service.sessions.keys();
		expect((await over(3000, next.open())).ok).toBe(true);
		expect([service.sessions.has(left ?? ''), service.sessions.size]).toEqual([false, 1]);
	});

	test('that was refused for another reason than the plan keeps no session from being made ahead', async () => {
		const { keeper, service, mishaps, over, prepared } = createKeeperStage();
		mishaps.push(...Array<Mishap>(12).fill('500-before'));
		expect((await over(24_000, keeper.open())).ok).toBe(false);
		mishaps.length = 0;
		await prepared();
		expect(service.made()).toBe(1);
	});

	test('asks a service that answers for nothing but the session', async () => {
		const { keeper, service, mishaps, over } = createKeeperStage({ limit: 1 });
		service.addForeign();
		await over(3000, keeper.open());
		service.sessions.clear();
		let before = service.requests();
		const grant = await over(200, keeper.open());
		// The session itself, and a look when it ends.
		expect([grant.ok, service.requests() - before]).toEqual([true, 2]);

		// The service did not answer at first, and then it did.
		await over(1000, keeper.close(grant.ok ? grant.value.handle : ''));
		mishaps.push(...Array<Mishap>(8).fill('hang-before'));
		expect((await over(24_000, keeper.open())).ok).toBe(false);
		mishaps.length = 0;
		const again = await over(2000, keeper.open());
		await over(1000, keeper.close(again.ok ? again.value.handle : ''));
		before = service.requests();
		expect((await over(200, keeper.open())).ok).toBe(true);
		expect(service.requests() - before).toBe(2);
	});

	test('waits for a session on its way out, where the plan has no room for both', async () => {
		const { keeper, clock, service, mishaps, over, opened } = createKeeperStage({ limit: 1 });
		const handle = await opened();
		await clock.run(1000);
		mishaps.push('slow');
		void keeper.close(handle);
		await clock.run(50);
		expect((await over(6000, keeper.open())).ok).toBe(true);
		expect([service.made(), service.sessions.size]).toEqual([2, 1]);
	});

	test('is cancelled by the end of everything, also while leftovers are cleared away', async () => {
		const { clock, service, startedAgain, over } = createKeeperStage();
		const next = await startedAgain();
		const opening = next.open();
		await clock.run(50);
		await over(1000, next.closeAll(1000));
		expect(await over(5000, opening)).toEqual(cancelled);
		expect(service.made()).toBe(1);
	});
});

describe('sleep', () => {
	test('ends the trying to clear away, and waking clears away and looks at what is held', async () => {
		const { clock, service, mishaps, over, startedAgain, lost } = createKeeperStage();
		const next = await startedAgain();
		mishaps.push(...Array<Mishap>(400).fill('refused'));
		void next.sweep();
		await clock.run(2000);
		next.suspend();
		// Let the work under way end.
		await clock.run(20_000);
		const before = service.requests();
		await clock.run(100_000);
		expect(service.requests()).toBe(before);
		mishaps.length = 0;
		next.resume();
		await clock.run(1000);
		expect(service.sessions.size).toBe(0);

		next.prepare();
		await clock.run(2000);
		expect(service.sessions.size).toBe(1);
		const grant = await over(1000, next.open());
		const handle = grant.ok ? grant.value.handle : '';
		next.joined(handle);
		await clock.run(1000);
		service.sessions.clear();
		next.suspend();
		next.resume();
		await clock.run(1000);
		expect(lost).toEqual([{ handle, problem: { kind: 'session-lost', cause: 'deleted' } }]);
	});
});

test('a session that was granted and not joined yet is announced as ended by the person', async () => {
	const { keeper, over, opened, lost } = createKeeperStage();
	const handle = await opened();
	const page = await over(1000, keeper.page(null));
	await over(1000, keeper.end((page.ok && page.value.rows[0]?.handle) || ''));
	expect(lost).toEqual([{ handle, problem: { kind: 'session-lost', cause: 'ended-by-user' } }]);
});
