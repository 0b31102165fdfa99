import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSystemClock } from '#main/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { type LedgerEntry, withEntry, withoutEntry } from './ledger.ts';
import { createLedgerFile } from './ledger-file.ts';
import { formatLedger, parseLedger } from './ledger-format.ts';

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

describe('the ledger file', () => {
	test('keeps entries and salt from one program to the next, readable by its owner only', async () => {
		const one = open();
		await one.change((all) => withEntry(withEntry(all, entry('a')), entry('b')));
		const salt = await one.salt();
		one.close();
		const two = open();
		expect(await two.change((all) => withoutEntry(all, 'a'))).toEqual({ ok: true, value: [entry('b')] });
		expect(await two.salt()).toEqual(salt);
		expect((await stat(file())).mode & 0o777).toBe(0o600);
		two.close();
	});

	test('knows which owners live, and forgets the traces of those that do not', async () => {
		const one = open();
		await one.change((all) => all);
		const two = open();
		await two.change((all) => all);
		expect(one.isInUse(two.owner)).toBe(true);
		expect(one.isInUse(one.owner)).toBe(true);
		two.close();
		expect(one.isInUse(two.owner)).toBe(false);
		expect(one.isInUse('../../etc/passwd')).toBe(false);
		expect(await readdir(join(folder, 'ledger.owners'))).toEqual([one.owner]);
		one.close();
	});

	test('clears away the traces of programs that were killed, also of those that no entry names', async () => {
		const owners = join(folder, 'ledger.owners');
		const living = open();
		await living.change((all) => all);
		for (const name of ['killed', 'killed-too']) await writeFile(join(owners, name), '');
		const next = open();
		await next.change((all) => all);
		expect(new Set(await readdir(owners))).toEqual(new Set([living.owner, next.owner]));
		expect(next.isInUse(living.owner)).toBe(true);
		living.close();
		next.close();
	});

	test('can be changed after it was closed, and leaves no trace then', async () => {
		const one = open();
		await one.change((all) => withEntry(all, entry('a', { owner: one.owner })));
		const late = one.change((all) => all);
		one.close();
		expect((await late).ok).toBe(true);
		expect((await one.change((all) => withoutEntry(all, 'a'))).ok).toBe(true);
		expect(await readdir(join(folder, 'ledger.owners'))).toEqual([]);
	});

	test('that is no ledger is kept aside and said', async () => {
		await writeFile(file(), '{"version":1,"entr');
		const ledger = open();
		expect(await ledger.read()).toEqual({ ok: true, value: [] });
		const kept = ledger.brokenFile();
		expect(kept).toMatch(/ledger\.json\.broken-\d+$/);
		expect(await readFile(kept ?? '', 'utf8')).toBe('{"version":1,"entr');
		expect(await ledger.change((all) => withEntry(all, entry('a')))).toMatchObject({ ok: true });
		ledger.close();
	});

	test('with one bad entry loses that one only, and the whole file is kept aside', async () => {
		const text = formatLedger({ salt: 'salt-salt', entries: [entry('a'), entry('b')] });
		await writeFile(file(), text.replace('"id-a"', '17'));
		const ledger = open();
		expect(await ledger.read()).toEqual({ ok: true, value: [entry('b')] });
		expect(ledger.brokenFile()).not.toBeNull();
		expect(await ledger.salt()).toEqual({ ok: true, value: 'salt-salt' });
		ledger.close();
	});

	test('of a later version is left alone', async () => {
		const text = formatLedger({ salt: 'salt-salt', entries: [] }).replace('"version": 1', '"version": 2');
		await writeFile(file(), text);
		const ledger = open();
		const changed = await ledger.change((all) => withEntry(all, entry('a')));
		expect(changed).toEqual({ ok: false, error: { kind: 'storage-failed', what: 'ledger: newer version' } });
		expect(await readFile(file(), 'utf8')).toBe(text);
		ledger.close();
	});

	test('survives what a crash leaves beside it', async () => {
		const one = open();
		await one.change((all) => withEntry(all, entry('a')));
		await writeFile(`${file()}.tmp`, '{"half');
		expect(await open().read()).toEqual({ ok: true, value: [entry('a')] });
		one.close();
	});

	test('where a file is in place of the folder is a problem, not a crash', async () => {
		await writeFile(join(folder, 'file'), '');
		const ledger = createLedgerFile({
			folder: join(folder, 'file'),
			clock: createSystemClock(),
			log: silentLogger,
		});
		expect(await ledger.change((all) => all)).toMatchObject({ ok: false, error: { kind: 'storage-failed' } });
	});
});

describe('reading a ledger', () => {
	test('never throws, and never invents an entry', () => {
		const text = formatLedger({
			salt: 'salt-salt',
			entries: [entry('a'), entry('b', { id: null, state: 'intent' })],
		});
		const cuts = fc.record({ at: fc.nat(text.length), length: fc.nat(20), put: fc.string() });
		fc.assert(
			fc.property(cuts, ({ at, length, put }) => {
				const reading = parseLedger(text.slice(0, at) + put + text.slice(at + length));
				const entries = reading.type === 'newer' ? [] : (reading.content?.entries ?? []);
				for (const one of entries) expect(['intent', 'open', 'closing', 'handed-over']).toContain(one.state);
				expect(entries.length).toBeLessThanOrEqual(2);
			}),
		);
		expect(parseLedger(text)).toMatchObject({ type: 'fine' });
	});

	test.each(['', 'null', '[]', '{}', '{"version":"1"}', '{"__proto__":{"version":1}}'])(
		'%s is broken',
		(text) => {
			expect(parseLedger(text)).toEqual({ type: 'broken', content: null });
		},
	);
});
