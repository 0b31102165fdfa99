import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { mainChecks, runChecks } from '#shared/diagnosis/checks.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	type DiagnosisParts,
	type LedgerHealth,
	machineChecks,
	mainChecksOf,
	roomChecks,
	serviceChecks,
} from './checks.ts';

test('the command line checks in the order in which the window shows', () => {
	expect(mainChecksOf({} as DiagnosisParts).map(({ name }) => name)).toEqual([...mainChecks]);
});

test('a certificate waits for a service that is away, and no longer once it answers', async () => {
	const away = err<Problem>({ kind: 'service-unreachable', cause: 'ENOTFOUND' });
	let answer: Result<{ ms: number; skewMs: number | null }, Problem> = away;
	const checks = serviceChecks({
		clock: createManualClock(),
		// No server listens there.
		base: () => 'https://localhost:1',
		proxyOf: async () => '',
		probe: async () => answer,
	} as Partial<DiagnosisParts> as DiagnosisParts);
	const run = (name: string) =>
		checks.find((check) => check.name === name)?.run(new AbortController().signal);
	expect((await run('service'))?.state).toBe('failed');
	expect((await run('certificate'))?.says).toBe('waitsFor');
	answer = ok({ ms: 5, skewMs: 0 });
	expect((await run('service'))?.state).toBe('ok');
	expect((await run('certificate'))?.says).not.toBe('waitsFor');
});

/** The result of the check of the ledger. */
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

interface Given {
	readonly busy?: boolean;
	readonly reached?: Result<void, Problem>;
	readonly closed?: Result<void, Problem>;
	/** Runs while the session is being made. */
	readonly making?: () => void;
	/** Runs while a socket is being opened. */
	readonly dialling?: () => Promise<void>;
}

const unended = new AbortController().signal;

/** The actions of the checks, in order, and the findings. */
async function look(given: Given = {}, signal = unended) {
	const { busy = false, reached = ok(), closed = ok(), making, dialling } = given;
	const did: string[] = [];
	const clock = createManualClock();
	const parts = {
		clock,
		busy: () => busy,
		room: {
			async open() {
				did.push('open');
				await new Promise((done) => setImmediate(done));
				making?.();
				return ok({
					async signal() {
						did.push('signal');
						return reached;
					},
					async close() {
						did.push('close');
						return closed;
					},
				});
			},
		},
		async dialSocket(product) {
			did.push(product);
			await dialling?.();
			return ok({ host: 'socket.example.com' });
		},
	} as Partial<DiagnosisParts> as DiagnosisParts;
	const findings = await runChecks(roomChecks(parts), { clock, signal, told() {} });
	return { did, found: findings.map(({ check, says, problem }) => [check, says ?? problem?.kind]) };
}

test('one after the other: no socket before the session of the room is given back', async () => {
	expect(await look()).toEqual({
		did: ['open', 'signal', 'close', 's2s', 'stt', 'tts'],
		found: [
			['room', 'roomFine'],
			['s2s', 'socketFine'],
			['stt', 'socketFine'],
			['tts', 'socketFine'],
		],
	});
});

test('one socket after the other: no two are open at a time', async () => {
	let [open, most] = [0, 0];
	await look({
		async dialling() {
			open += 1;
			most = Math.max(most, open);
			await new Promise((done) => setImmediate(done));
			open -= 1;
		},
	});
	expect([open, most]).toEqual([0, 1]);
});

test('beside a conversation that runs neither a session nor a socket of its kind is opened', async () => {
	expect(await look({ busy: true })).toEqual({
		did: ['stt', 'tts'],
		found: [
			['room', 'roomBusy'],
			['s2s', 'roomBusy'],
			['stt', 'socketFine'],
			['tts', 'socketFine'],
		],
	});
});

test('a session is given back whatever is found, and one that cannot be is said', async () => {
	const unreachable = await look({ reached: err({ kind: 'room-unreachable', reason: 'x' }) });
	expect(unreachable.did.slice(0, 3)).toEqual(['open', 'signal', 'close']);
	expect(unreachable.found[0]).toEqual(['room', 'room-unreachable']);
	const kept = await look({ closed: err({ kind: 'service-unreachable', cause: 'x' }) });
	expect(kept.found[0]).toEqual(['room', 'roomLeft']);
});

test('a session that is made when nobody looks any more is given back', async () => {
	const control = new AbortController();
	const { did, found } = await look({ making: () => control.abort() }, control.signal);
	await expect.poll(() => did).toEqual(['open', 'close']);
	expect(found[0]).toEqual(['room', 'cancelled']);
});
