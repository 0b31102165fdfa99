import { describe, expect, test } from 'vitest';
import { createSessionClient } from '#main/service/session-client.ts';
import { silentLogger } from '#shared/lib/log.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createLedgerDisk, createMemoryLedger } from '#test/support/memory-ledger.ts';
import { createPretendService, type Mishap } from '#test/support/pretend-service.ts';
import { createSessionKeeper } from './session-keeper.ts';

function stage(options: { limit?: number; skewMs?: number; allowedHosts?: readonly string[] } = {}) {
	const clock = createManualClock();
	const mishaps: Mishap[] = [];
	const next = () => mishaps.shift() ?? 'none';
	const parts = {
		next,
		latencyMs: () => 150,
		skewMs: options.skewMs ?? 0,
		limit: options.limit ?? 10,
		lifeMs: 600_000,
	};
	const service = createPretendService(clock, parts);
	const disk = createLedgerDisk();
	const common = { clock, random: () => 0.5, log: silentLogger };
	const api = createSessionClient({
		...common,
		fetch: service.fetch,
		baseUrl: () => 'https://api.example.com',
		key: () => 'the-key',
		allowedHosts: () => options.allowedHosts ?? [],
	});
	const ledger = createMemoryLedger(disk, 'this');
	const keeper = createSessionKeeper({ ...common, api, ledger, warmIdleMs: () => 120_000 });
	const lost: { handle: string; problem: Problem }[] = [];
	keeper.onLost((handle, problem) => lost.push({ handle, problem }));

	async function over<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
		for (let left = ms; left > 0; left -= 50) await clock.run(50);
		return await promise;
	}
	async function opened(): Promise<string> {
		const grant = await over(2000, keeper.open());
		if (!grant.ok) throw new Error(grant.error.kind);
		return grant.value.handle;
	}
	return { keeper, clock, service, disk, mishaps, lost, over, opened };
}

describe('a session made ahead', () => {
	test('is handed out without a request', async () => {
		const { keeper, clock, service } = stage();
		keeper.warm();
		keeper.warm();
		await clock.run(2000);
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

	test('is given back when nobody seems to want it', async () => {
		const { keeper, clock, service, disk } = stage();
		keeper.warm();
		await clock.run(100_000);
		keeper.warm();
		await clock.run(100_000);
		expect(service.sessions.size).toBe(1);
		await clock.run(30_000);
		expect(service.sessions.size).toBe(0);
		expect(disk.entries).toEqual([]);
		expect(clock.pending).toBe(0);
	});

	test('is given back when the machine goes to sleep', async () => {
		const { keeper, clock, service } = stage();
		keeper.warm();
		await clock.run(2000);
		keeper.suspend();
		keeper.warm();
		await clock.run(2000);
		expect(service.sessions.size).toBe(0);
	});

	test('that cannot be made is not asked for again and again', async () => {
		const { keeper, clock, service } = stage({ limit: 0 });
		for (let second = 0; second < 20; second++) {
			keeper.warm();
			await clock.run(1000);
		}
		expect(service.requests()).toBe(1);
	});
});

describe('a granted session', () => {
	test('is kept alive until it is joined, by the clock of the service', async () => {
		const { clock, service, opened, lost } = stage({ skewMs: -86_400_000 });
		await opened();
		for (let minute = 0; minute < 60; minute++) await clock.run(60_000);
		const [session] = service.sessions.values();
		expect(session && session.expiresAt - service.now()).toBeGreaterThan(250_000);
		expect(lost).toEqual([]);
		expect(service.requests()).toBeLessThan(50);
	});

	test('is announced as lost when it is deleted under its user, and forgotten', async () => {
		const { keeper, clock, service, disk, opened, lost } = stage();
		const handle = await opened();
		keeper.joined(handle);
		service.sessions.clear();
		await clock.run(62_000);
		expect(lost).toEqual([{ handle, problem: { kind: 'session-lost', cause: 'deleted' } }]);
		expect(disk.entries).toEqual([]);
	});

	test('is deleted in the background when closing it failed, and closing does not wait for that', async () => {
		const { keeper, clock, service, disk, mishaps, over, opened } = stage();
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
		const { keeper, service, disk, over } = stage({ allowedHosts: ['other.example.com'] });
		const grant = await over(3000, keeper.open());
		expect(grant).toEqual({ ok: false, error: { kind: 'address-refused', host: 'media.example.com' } });
		expect(service.made()).toBe(1);
		expect(service.sessions.size).toBe(0);
		expect(disk.entries).toEqual([]);
	});

	test('is not asked for when the ledger cannot be written', async () => {
		const { keeper, service, disk, over } = stage();
		disk.full = true;
		expect(await over(1000, keeper.open())).toMatchObject({ ok: false, error: { kind: 'storage-failed' } });
		expect(service.made()).toBe(0);
	});
});

describe('a refused opening', () => {
	test('first clears away what a dead program left, so that the user never sees the limit', async () => {
		const { keeper, clock, service, disk, over, opened } = stage({ limit: 1 });
		await opened();
		disk.entries = disk.entries.map((entry) => ({ ...entry, state: 'closing' }));
		await clock.run(1000);
		expect(await over(3000, keeper.open())).toMatchObject({ ok: true });
		expect(service.made()).toBe(2);
	});

	test('by the limit leaves foreign sessions alone and shows them', async () => {
		const { keeper, service, over } = stage({ limit: 1 });
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
		const { keeper, service, mishaps, over } = stage({ skewMs: 86_400_000 });
		mishaps.push('reset-after');
		expect(await over(3000, keeper.open())).toEqual({ ok: false, error: { kind: 'session-uncertain' } });
		expect(service.made()).toBe(1);
		const rows = await over(1000, keeper.list());
		expect(rows.ok && rows.value.map((row) => row.owner)).toEqual(['probably-ours']);
		await over(1000, keeper.sweep());
		expect(service.sessions.size).toBe(1);
	});

	test('by a failure that left nothing is repeated once, after looking', async () => {
		const { keeper, service, mishaps, over } = stage();
		mishaps.push('500-before');
		expect(await over(3000, keeper.open())).toMatchObject({ ok: true });
		expect(service.made()).toBe(1);
	});
});

test('closing everything cancels an opening under way and deletes what it brings', async () => {
	const { keeper, clock, service, disk, over } = stage();
	const opening = keeper.open();
	await clock.run(50);
	await over(1000, keeper.closeAll(5000));
	expect(await opening).toEqual({ ok: false, error: { kind: 'cancelled' } });
	expect(service.made()).toBe(1);
	expect(service.sessions.size).toBe(0);
	expect(disk.entries).toEqual([]);
	expect(clock.pending).toBe(0);
});
