import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import { type DiagnosisParts, type LedgerHealth, machineChecks } from './checks.ts';

/** What the check of the ledger says. */
async function ledgerSays(
	entries: readonly { readonly owner: string; readonly state: string }[],
	more: Partial<LedgerHealth> = {},
) {
	const ledger: LedgerHealth = {
		read: async () => ok(entries),
		isInUse: (owner) => owner === 'alive',
		brokenFile: () => null,
		...more,
	};
	const check = machineChecks({ ledger } as DiagnosisParts).find(({ name }) => name === 'ledger');
	const outcome = await check?.run(new AbortController().signal);
	return outcome?.problem
		? [outcome.state, outcome.problem.kind]
		: [outcome?.state, outcome?.says, outcome?.facts];
}

const left = { owner: 'dead', state: 'open' };
const used = { owner: 'alive', state: 'open' };
/** The person's own, made by the command line. */
const handedOver = { owner: 'dead', state: 'handed-over' };

test('sessions are left over where nobody uses them any more, those of the person are not', async () => {
	expect(await ledgerSays([])).toEqual(['ok', 'ledgerFine', { number: 0 }]);
	expect(await ledgerSays([used, handedOver])).toEqual(['ok', 'ledgerFine', { number: 2 }]);
	expect(await ledgerSays([used, handedOver, left])).toEqual(['warning', 'ledgerLeft', { number: 1 }]);
	expect(await ledgerSays([left, left])).toEqual(['warning', 'ledgerLeft', { number: 2 }]);
});

test('a ledger that was set aside is said, and one that cannot be read is a failure', async () => {
	const broken = { brokenFile: () => 'sessions.json.broken' };
	expect(await ledgerSays([], broken)).toEqual(['warning', 'ledgerBroken', expect.anything()]);
	const unread = { read: async () => err({ kind: 'storage-failed', what: 'ledger' } as const) };
	expect(await ledgerSays([], unread)).toEqual(['failed', 'storage-failed']);
});

test('the free space is known before the folder is there, and looking does not make it', async () => {
	const root = await mkdtemp(join(tmpdir(), 'dragoman-machine-'));
	try {
		const folder = join(root, 'config', 'Dragoman');
		const disk = machineChecks({ folder } as DiagnosisParts).find(({ name }) => name === 'disk');
		const outcome = await disk?.run(new AbortController().signal);
		expect(['diskFree', 'diskLow']).toContain(outcome?.says);
		expect(outcome?.problem).toBeNull();
		expect(existsSync(folder)).toBe(false);
	} finally {
		await rm(root, { recursive: true, force: true });
	}
});

test('a history that another program is writing to is not called damaged, but looked at later', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'dragoman-machine-'));
	const other = new DatabaseSync(join(folder, 'history.sqlite'));
	try {
		const check = machineChecks({ folder } as DiagnosisParts).find(({ name }) => name === 'history');
		const look = () => check?.run(new AbortController().signal);
		other.exec('CREATE TABLE conversation (id INTEGER); INSERT INTO conversation VALUES (1), (2)');
		other.exec('BEGIN EXCLUSIVE');
		expect(await look()).toMatchObject({ state: 'skipped', says: 'historyLater' });
		other.exec('COMMIT');
		expect(await look()).toMatchObject({ state: 'ok', says: 'historyFine', facts: { number: 2 } });
	} finally {
		other.close();
		await rm(folder, { recursive: true, force: true });
	}
});
