import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createSessionClient } from '#main/service/session-client.ts';
import { createLedgerFile } from '#main/sessions/ledger.ts';
import { createSessionKeeper } from '#main/sessions/session-keeper.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { crash } from '#test/crash/campaign.ts';

const KEY = 'crash-test-key';
const clock = createSystemClock();
const folders: string[] = [];
const sandboxes: Sandbox[] = [];
afterAll(async () => {
	for (const sandbox of sandboxes) await sandbox.close();
	for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function freshFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'dragoman-ledger-'));
	folders.push(folder);
	return folder;
}

async function freshSandbox(): Promise<Sandbox> {
	const sandbox = await startSandbox({ key: KEY });
	sandboxes.push(sandbox);
	return sandbox;
}

function client(sandbox: Sandbox) {
	const common = { clock, random: Math.random, log: silentLogger };
	return createSessionClient({ ...common, fetch, baseUrl: () => sandbox.addresses.api, key: () => KEY });
}

function start(sandbox: Sandbox, folder: string) {
	const ledger = createLedgerFile({ folder, clock, log: silentLogger });
	const parts = { clock, random: Math.random, log: silentLogger, preparedIdleMs: () => 60_000 };
	return { ledger, keeper: createSessionKeeper({ ...parts, api: client(sandbox), ledger }) };
}

test('a program killed at any await leaves nothing that the next start does not delete, touches nothing foreign, and loses no caption that was acknowledged', {
	timeout: 240_000,
}, async () => {
	const seed = Number(process.env.DRAGOMAN_TEST_SEED ?? Date.now() % 2 ** 31);
	// Some of the steps, in an order from the seed; `npm run crash` tries all of them.
	const found = await crash({ seed, workers: 2, forMs: 8_000 });
	expect(found.failures, `seed ${seed}`).toEqual([]);
	expect(found.steps).toBeGreaterThan(300);
	expect(found.moments).toBeGreaterThan(10);
	expect(found.killed).toBeGreaterThan(5);
	expect(found.lost).toBeLessThanOrEqual(1);
});

test('a program that dies with the plan’s only session is followed by one that can start at once', async () => {
	const sandbox = await freshSandbox();
	sandbox.setFault('limit-1', true);
	const folder = await freshFolder();
	const dead = start(sandbox, folder);
	expect((await dead.keeper.open()).ok).toBe(true);
	// This leaves the same as `kill -9`: the lock is free, the entry and the session are there.
	dead.ledger.close();
	const next = start(sandbox, folder);
	const created = sandbox.counts().created;
	expect((await next.keeper.open()).ok).toBe(true);
	expect(sandbox.counts()).toMatchObject({ created: created + 1, deleted: 1 });
	expect(sandbox.openSessions()).toHaveLength(1);
	await next.keeper.closeAll(5000);
	next.ledger.close();
	expect(sandbox.openSessions()).toEqual([]);
});

test('a look at an empty folder before the first session does not keep the next program from clearing it away', async () => {
	const sandbox = await freshSandbox();
	const folder = await freshFolder();
	const dead = start(sandbox, folder);
	expect(await dead.ledger.read()).toEqual({ ok: true, value: [] });
	expect((await dead.keeper.open()).ok).toBe(true);
	dead.ledger.close();
	const next = start(sandbox, folder);
	expect(await next.keeper.sweep()).toMatchObject({ ok: true, value: { deleted: 1, otherAccounts: 0 } });
	expect(sandbox.openSessions()).toEqual([]);
	next.ledger.close();
});

describe('two programs on one ledger', () => {
	test('never delete what the other one uses', async () => {
		const sandbox = await freshSandbox();
		const folder = await freshFolder();
		const one = start(sandbox, folder);
		const two = start(sandbox, folder);
		const opened = await one.keeper.open();
		expect(opened.ok).toBe(true);
		expect(await two.keeper.sweep()).toMatchObject({ ok: true, value: { deleted: 0, inUse: 1 } });
		const rows = await two.keeper.list();
		expect(rows.ok && rows.value.map((row) => row.owner)).toContain('this-computer');
		one.ledger.close();
		expect(await two.keeper.sweep()).toMatchObject({ ok: true, value: { deleted: 1 } });
		two.ledger.close();
	});

	test('keep every entry when both write at once', async () => {
		const folder = await freshFolder();
		const ledgers = [1, 2, 3].map(() => createLedgerFile({ folder, clock, log: silentLogger }));
		const entry = {
			account: 'a',
			state: 'open',
			id: 'x',
			createdWall: 1,
			createdServer: 1,
			expiresAt: null,
			lostAt: null,
		} as const;
		const writes = ledgers.flatMap((ledger, of) =>
			[0, 1, 2, 3, 4, 5, 6, 7].map((number) =>
				ledger.change((all) => [...all, { ...entry, intent: `${of}-${number}`, owner: ledger.owner }]),
			),
		);
		for (const written of await Promise.all(writes)) expect(written.ok).toBe(true);
		const read = await ledgers[0]?.read();
		expect(read?.ok && new Set(read.value.map(({ intent }) => intent)).size).toBe(24);
		for (const ledger of ledgers) ledger.close();
	});
});
