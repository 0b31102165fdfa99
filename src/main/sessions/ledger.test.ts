import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSystemClock } from '#main/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import {
	anotherRuns,
	createLedgerFile,
	type LedgerEntry,
	ledgerFormat,
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
