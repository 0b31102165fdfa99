import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSystemClock } from '#main/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { newFolder, storedVoice } from '#test/support/voices.ts';
import { amendedVoice, createVoicesFile, voicesFormat, withoutVoice, withVoice } from './voices-file.ts';

test('of a voice there is one entry: the new one takes the place of the old, at the end', () => {
	const [a, b] = [storedVoice('a'), storedVoice('b')];
	const newer = storedVoice('a', { name: 'New' });
	expect(withVoice([a, b], newer)).toEqual([b, newer]);
	expect(withVoice([], a)).toEqual([a]);
	expect(withoutVoice([a, b], 'a')).toEqual([b]);
	expect(amendedVoice([a, b], 'a', { name: 'New' })).toEqual([newer, b]);
});

let folder = '';
beforeEach(() => {
	folder = newFolder();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () => createVoicesFile({ folder, clock: createSystemClock(), log: silentLogger });

test('a voice comes back as it was kept, from voices.json', async () => {
	const one = open();
	await one.change((all) => withVoice(withVoice(all, storedVoice('a')), storedVoice('b')));
	one.close();
	const two = open();
	expect(await two.read()).toEqual({ ok: true, value: [storedVoice('a'), storedVoice('b')] });
	two.close();
});

test('keeps a voice whose problem has a kind from a later version', async () => {
	const text = voicesFormat.format({
		salt: 'salt-salt',
		entries: [{ ...storedVoice('a'), problem: { kind: 'cancelled' } }],
	});
	await writeFile(join(folder, 'voices.json'), text.replace('"cancelled"', '"from-the-future"'));
	const register = open();
	expect(await register.read()).toEqual({ ok: true, value: [storedVoice('a')] });
	expect(register.brokenFile()).toBeNull();
	register.close();
});
