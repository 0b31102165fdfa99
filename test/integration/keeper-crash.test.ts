import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLedgerFile } from '#main/keeper/ledger-file.ts';
import { createSessionKeeper } from '#main/keeper/session-keeper.ts';
import { createSessionClient } from '#main/service/session-client.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { silentLogger } from '#shared/lib/log.ts';

const KEY = 'crash-test-key';
const clock = createSystemClock();
let sandbox: Sandbox;
let folder: string;
const folders: string[] = [];

beforeAll(async () => {
	sandbox = await startSandbox({ key: KEY });
});
afterAll(async () => {
	await sandbox.close();
	for (const one of folders) await rm(one, { recursive: true, force: true });
});

async function freshFolder(): Promise<string> {
	folder = await mkdtemp(join(tmpdir(), 'dragoman-ledger-'));
	folders.push(folder);
	return folder;
}

function client() {
	const common = { clock, random: Math.random, log: silentLogger };
	return createSessionClient({ ...common, fetch, baseUrl: () => sandbox.addresses.api, key: () => KEY });
}

function start() {
	const ledger = createLedgerFile({ folder, clock, log: silentLogger });
	const parts = { clock, random: Math.random, log: silentLogger, warmIdleMs: () => 60_000 };
	return { ledger, keeper: createSessionKeeper({ ...parts, api: client(), ledger }) };
}

/** Steps it came to, or null when it was killed. */
function live(fatalStep: number): Promise<number | null> {
	return new Promise((done) => {
		const args = ['test/support/keeper-child.ts', sandbox.addresses.api, KEY, folder, String(fatalStep)];
		const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
		let said = '';
		child.stdout.on('data', (text) => {
			said += text;
		});
		child.on('close', (_, signal) => done(signal === 'SIGKILL' ? null : Number(said)));
	});
}

describe('a program killed at any await', () => {
	test('leaves nothing that the next start does not delete, and nothing foreign is touched', {
		timeout: 240_000,
	}, async () => {
		const account = client().account();
		if (!account.ok) throw new Error('no account');
		const foreign = await account.value.create();
		const foreignId = foreign.ok ? foreign.value.id : '';
		await freshFolder();
		const steps = (await live(0)) ?? 0;
		expect(steps).toBeGreaterThan(20);
		expect(sandbox.openSessions().map(({ id }) => id)).toEqual([foreignId]);

		for (let step = 1; step <= steps; step++) {
			await freshFolder();
			await live(step);
			const known = await knownIds();
			const { keeper, ledger } = start();
			expect(await keeper.sweep()).toMatchObject({ ok: true, value: { failed: 0 } });
			const open = sandbox.openSessions().map(({ id }) => id);
			expect(open).toContain(foreignId);
			expect(open.filter((id) => known.includes(id))).toEqual([]);
			await expectOnlyProbablyOurs(keeper, open.filter((id) => id !== foreignId).length);
			ledger.close();
			for (const id of open) if (id !== foreignId) await account.value.remove(id);
		}
	});

	/** A create killed between answer and ledger has no id anywhere: it is shown, not deleted. */
	async function expectOnlyProbablyOurs(
		keeper: ReturnType<typeof start>['keeper'],
		count: number,
	): Promise<void> {
		if (count === 0) return;
		expect(count).toBe(1);
		const rows = await keeper.list();
		const owners = rows.ok ? rows.value.map((row) => row.owner) : [];
		expect(owners).toContain('probably-ours');
	}

	async function knownIds(): Promise<readonly string[]> {
		const text = await readFile(join(folder, 'ledger.json'), 'utf8').catch(() => '{"entries":[]}');
		const entries: readonly { id: string | null }[] = JSON.parse(text).entries;
		return entries.flatMap(({ id }) => (id === null ? [] : [id]));
	}
});

describe('two programs on one ledger', () => {
	test('never delete what the other one uses', async () => {
		await freshFolder();
		const one = start();
		const two = start();
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
		await freshFolder();
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
