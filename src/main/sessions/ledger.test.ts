import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSystemClock } from '#main/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { sessionAt } from '#test/support/sessions.ts';
import {
	anotherRuns,
	createLedgerFile,
	isSettled,
	isUncertain,
	type LedgerEntry,
	LONGEST_LIFE_MS,
	ledgerFormat,
	mayBeFrom,
	withEntry,
	withoutEntry,
} from './ledger.ts';

let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'dragoman-ledger-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () => createLedgerFile({ folder, clock: createSystemClock(), log: silentLogger });
const file = () => join(folder, 'ledger.json');

function entry(intent: string, fields: Partial<LedgerEntry> = {}): LedgerEntry {
	const times = { createdWall: 1, createdServer: 2, expiresAt: null, lostAt: null };
	return {
		intent,
		account: 'account',
		state: 'open',
		id: `id-${intent}`,
		owner: 'nobody',
		...times,
		...fields,
	};
}

test('an entry comes back as it was kept, from ledger.json; what it lacks is filled in', async () => {
	const one = open();
	await one.change((all) => withEntry(withEntry(all, entry('a')), entry('b')));
	one.close();
	const text = await readFile(file(), 'utf8');
	await writeFile(file(), text.replace('"expiresAt": null,', ''));
	const two = open();
	expect(await two.change((all) => withoutEntry(all, 'a'))).toEqual({ ok: true, value: [entry('b')] });
	two.close();
});

test('another program runs from its first look at the ledger until it ends, however it ends', async () => {
	const asked = () => anotherRuns({ folder, clock: createSystemClock(), log: silentLogger });
	expect(await asked()).toBe(false);
	const one = open();
	await one.read();
	expect(await asked()).toBe(true);
	one.close();
	await writeFile(join(folder, 'ledger.owners', 'killed'), '');
	expect(await asked()).toBe(false);
	expect(await readdir(join(folder, 'ledger.owners'))).toEqual([]);
	// The file is from a later version, so nothing in it is known.
	await writeFile(file(), '{"version":99,"salt":"salt-salt","entries":[]}');
	expect(await asked()).toBe(true);
});

describe('reading a ledger', () => {
	test('never throws, and never invents an entry', () => {
		const text = ledgerFormat.format({
			salt: 'salt-salt',
			entries: [entry('a'), entry('b', { id: null, state: 'intent' })],
		});
		const cuts = fc.record({ at: fc.nat(text.length), length: fc.nat(20), put: fc.string() });
		fc.assert(
			fc.property(cuts, ({ at, length, put }) => {
				const reading = ledgerFormat.parse(text.slice(0, at) + put + text.slice(at + length));
				const entries = reading.type === 'newer' ? [] : (reading.content?.entries ?? []);
				for (const one of entries) expect(['intent', 'open', 'closing', 'handed-over']).toContain(one.state);
				expect(entries.length).toBeLessThanOrEqual(2);
			}),
		);
		expect(ledgerFormat.parse(text)).toMatchObject({ type: 'fine' });
	});

	test.each(['', 'null', '[]', '{}', '{"version":"1"}', '{"__proto__":{"version":1}}'])(
		'%s is broken',
		(text) => {
			expect(ledgerFormat.parse(text)).toEqual({ type: 'broken', content: null });
		},
	);
});

describe('uncertain', () => {
	const ASKED = 1_800_000_000_000;
	const entry: LedgerEntry = {
		intent: 'i',
		account: 'a',
		state: 'intent',
		id: null,
		owner: 'o',
		expiresAt: null,
		lostAt: null,
		createdWall: ASKED,
		createdServer: ASKED,
	};
	const lost: LedgerEntry = { ...entry, lostAt: ASKED + 1000 };

	test('an entry without an id is uncertain once its answer was lost, or who asked has ended', () => {
		expect([isUncertain(entry, true), isUncertain(entry, false), isUncertain(lost, true)]).toEqual([
			false,
			true,
			true,
		]);
		expect(isUncertain({ ...lost, id: 's' }, false)).toBe(false);
	});

	test.each([
		['whose answer was lost', lost, ASKED + 1000 + 60_000],
		['whose asker has ended', entry, ASKED + 300_000 + 60_000],
	])('a session may be of an entry %s from 5 s before it was asked for', (_name, of, last) => {
		const may = (at: number | null) => mayBeFrom(of, sessionAt('s', at));
		expect([may(ASKED - 5001), may(ASKED - 5000), may(last), may(last + 1)]).toEqual([
			false,
			true,
			true,
			false,
		]);
		expect(may(null)).toBe(false);
	});

	test.each([
		['lost', lost, ASKED + 1000 + 120_000],
		['of one that ended', entry, ASKED + 300_000 + 120_000],
	])(
		'an entry %s is settled two minutes later, when no session that is nobody’s may be its own',
		(_n, of, at) => {
			const mine = sessionAt('s', ASKED);
			const other = sessionAt('t', ASKED - 60_000);
			expect([isSettled(of, [], at), isSettled(of, [], at + 1)]).toEqual([false, true]);
			expect([isSettled(of, [other], at + 1), isSettled(of, [other, mine], at + 1)]).toEqual([true, false]);
		},
	);

	test('settles an entry older than any session, whatever is listed', () => {
		const mine = [sessionAt('s', ASKED)];
		const end = ASKED + LONGEST_LIFE_MS;
		expect([isSettled(lost, mine, end), isSettled(lost, mine, end + 1)]).toEqual([false, true]);
	});
});
