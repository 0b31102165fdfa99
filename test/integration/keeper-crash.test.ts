import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createLedgerFile } from '#main/keeper/ledger-file.ts';
import { createSessionKeeper } from '#main/keeper/session-keeper.ts';
import { createSessionClient, type SessionAccount } from '#main/service/session-client.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { silentLogger } from '#shared/lib/log.ts';

const KEY = 'crash-test-key';
const clock = createSystemClock();
const compileCache = mkdtempSync(join(tmpdir(), 'dragoman-compiled-'));
const folders: string[] = [compileCache];
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
	const parts = { clock, random: Math.random, log: silentLogger, warmIdleMs: () => 60_000 };
	return { ledger, keeper: createSessionKeeper({ ...parts, api: client(sandbox), ledger }) };
}

/** Steps it came to, or null when it was killed. */
function live(sandbox: Sandbox, folder: string, fatalStep: number): Promise<number | null> {
	return new Promise((done) => {
		const args = ['test/support/keeper-child.ts', sandbox.addresses.api, KEY, folder, String(fatalStep)];
		// Compiled by the first one, which lives to its end; the others start in a fraction of the time.
		const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
		const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
		let said = '';
		child.stdout.on('data', (text) => {
			said += text;
		});
		child.on('close', (_, signal) => done(signal === 'SIGKILL' ? null : Number(said)));
	});
}

/** What the ledger knew when its program died. */
async function knownIds(folder: string): Promise<readonly string[]> {
	const text = await readFile(join(folder, 'ledger.json'), 'utf8').catch(() => '{"entries":[]}');
	const entries: readonly { id: string | null }[] = JSON.parse(text).entries;
	return entries.flatMap(({ id }) => (id === null ? [] : [id]));
}

/** Dies at this step, starts again; `foreign` is somebody else's session, there all the time. */
async function crashAt(
	step: number,
	sandbox: Sandbox,
	account: SessionAccount,
	foreign: string,
): Promise<void> {
	const folder = await freshFolder();
	await live(sandbox, folder, step);
	const known = [...(await knownIds(folder))];
	if (step % 4 === 0) {
		// The next start dies too, perhaps while it clears away what the first has left.
		await live(sandbox, folder, 1 + (step % 11));
		known.push(...(await knownIds(folder)));
	}
	const { keeper, ledger } = start(sandbox, folder);
	expect(await keeper.sweep()).toMatchObject({ ok: true, value: { failed: 0 } });
	const open = sandbox.openSessions().map(({ id }) => id);
	expect(open).toContain(foreign);
	expect(open.filter((id) => known.includes(id))).toEqual([]);
	// A create killed between its answer and the ledger has no id anywhere: it is shown, not deleted.
	const lost = open.filter((id) => id !== foreign);
	expect(lost.length).toBeLessThanOrEqual(step % 4 === 0 ? 2 : 1);
	const rows = await keeper.list();
	const owners = rows.ok ? rows.value.map((row) => row.owner) : [];
	expect(owners.filter((owner) => owner === 'probably-ours').length).toBeGreaterThanOrEqual(lost.length);
	ledger.close();
	for (const id of lost) await account.remove(id);
}

/** Takes steps from `steps` until there are none. */
async function crashThrough(steps: number[]): Promise<void> {
	const sandbox = await freshSandbox();
	const account = client(sandbox).account();
	if (!account.ok) throw new Error(account.error.kind);
	const foreign = await account.value.create();
	if (!foreign.ok) throw new Error(foreign.error.problem.kind);
	for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
		await crashAt(step, sandbox, account.value, foreign.value.id);
	}
}

test('a program killed at any await leaves nothing that the next start does not delete, and nothing foreign is touched', {
	timeout: 240_000,
}, async () => {
	const sandbox = await freshSandbox();
	const count = (await live(sandbox, await freshFolder(), 0)) ?? 0;
	expect(count).toBeGreaterThan(20);
	expect(sandbox.openSessions()).toEqual([]);
	expect(sandbox.counts().created).toBe(2);
	const steps = Array.from({ length: count }, (_, index) => index + 1);
	await Promise.all([crashThrough(steps), crashThrough(steps)]);
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
