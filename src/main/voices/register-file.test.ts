import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSystemClock } from '#main/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { storedVoice } from '#test/support/stored-voice.ts';
import { locks, newFolder } from '#test/support/voice-rig.ts';
import { amendedVoice, type Register, withoutVoice, withVoice } from './register.ts';
import { createRegisterFile, type RegisterDisk } from './register-file.ts';
import { formatRegister } from './register-format.ts';

let folder = '';
beforeEach(() => {
	folder = newFolder();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const file = () => join(folder, 'voices.json');
const open_ = (disk?: RegisterDisk): Register =>
	createRegisterFile({
		folder,
		locks,
		clock: createSystemClock(),
		log: silentLogger,
		...(disk ? { disk } : {}),
	});

test('keeps entries and salt from one program to the next, readable by its owner only', async () => {
	const one = open_();
	await one.change((all) => withVoice(withVoice(all, storedVoice('a')), storedVoice('b')));
	const salt = await one.salt();
	one.close();
	const two = open_();
	expect(await two.change((all) => withoutVoice(all, 'a'))).toEqual({ ok: true, value: [storedVoice('b')] });
	expect(await two.salt()).toEqual(salt);
	expect((await stat(file())).mode & 0o777).toBe(0o600);
	two.close();
});

test('has one salt from the first look on, whoever writes first', async () => {
	const [one, two] = [open_(), open_()];
	await one.read();
	await two.read();
	const first = await one.salt();
	await two.change((all) => withVoice(all, storedVoice('a')));
	expect([await one.salt(), await two.salt()]).toEqual([first, first]);
	one.close();
	two.close();
});

test('two programs change it in turn, and know of each other whether they live', async () => {
	const [one, two] = [open_(), open_()];
	const names = Array.from({ length: 20 }, (_, index) => `voice-${index}`);
	await Promise.all(
		names.map((name, index) => (index % 2 ? one : two).change((all) => withVoice(all, storedVoice(name)))),
	);
	const read = await one.read();
	expect(read.ok && read.value.map(({ handle }) => handle).sort()).toEqual([...names].sort());
	expect(one.isInUse(two.owner)).toBe(true);
	two.close();
	expect(one.isInUse(two.owner)).toBe(false);
	expect(one.isInUse('../../etc/passwd')).toBe(false);
	one.close();
});

test('what cannot be read is kept aside and said, and what is right in it goes on', async () => {
	await writeFile(file(), '{"version":1,"voi');
	const first = open_();
	expect(await first.read()).toEqual({ ok: true, value: [] });
	expect(await readFile(first.brokenFile() ?? '', 'utf8')).toBe('{"version":1,"voi');
	first.close();
	const text = formatRegister({ salt: 'salt-salt', voices: [storedVoice('a'), storedVoice('b')] });
	await writeFile(file(), text.replace('"handle": "a"', '"handle": 17'));
	const second = open_();
	expect(await second.read()).toEqual({ ok: true, value: [storedVoice('b')] });
	expect(second.brokenFile()).not.toBeNull();
	expect(await second.salt()).toEqual({ ok: true, value: 'salt-salt' });
	second.close();
});

test('one of a later version is left alone', async () => {
	const newer = JSON.stringify({ version: 2, salt: 'salt-salt', voices: [] });
	await writeFile(file(), newer);
	const register = open_();
	expect(await register.change((all) => all)).toEqual({
		ok: false,
		error: { kind: 'storage-failed', what: 'voices: newer version' },
	});
	expect(await readFile(file(), 'utf8')).toBe(newer);
	register.close();
});

test('a problem of a kind that only a later version knows costs no voice', async () => {
	const text = formatRegister({
		salt: 'salt-salt',
		voices: [{ ...storedVoice('a'), problem: { kind: 'cancelled' } }],
	});
	await writeFile(file(), text.replace('"cancelled"', '"from-the-future"'));
	const register = open_();
	expect(await register.read()).toEqual({ ok: true, value: [storedVoice('a')] });
	expect(register.brokenFile()).toBeNull();
	register.close();
});

/** A disk that dies at call number `at` and stays dead; half of what was being written may be there. */
function dyingDisk(at: number): { disk: RegisterDisk; calls: () => number } {
	let calls = 0;
	const alive = (): void => {
		calls += 1;
		if (calls > at) throw new Error('the power is gone');
	};
	const disk = {
		mkdir: async (...args: Parameters<typeof mkdir>) => {
			alive();
			return mkdir(...args);
		},
		readFile: async (...args: Parameters<typeof readFile>) => {
			alive();
			return readFile(...args);
		},
		rename: async (...args: Parameters<typeof rename>) => {
			alive();
			return rename(...args);
		},
		open: async (...args: Parameters<typeof open>) => {
			alive();
			const handle = await open(...args);
			return Object.assign(Object.create(handle), {
				async writeFile(text: string) {
					await handle.writeFile(text.slice(0, text.length / 2));
					alive();
					await handle.truncate();
					await handle.write(text, 0);
				},
				async sync() {
					alive();
					await handle.sync();
				},
				close: () => handle.close(),
			});
		},
	};
	return { disk: disk as RegisterDisk, calls: () => calls };
}

test('the power may go at any call to the disk: the old register is there, or the new one, whole', async () => {
	const before = [storedVoice('a')];
	const after = [{ ...storedVoice('a'), status: 'ready' as const }];
	let deaths = 0;
	for (let at = 0; ; at += 1) {
		await rm(folder, { recursive: true, force: true });
		await mkdir(folder);
		await writeFile(file(), formatRegister({ salt: 'salt-salt', voices: before }));
		const { disk, calls } = dyingDisk(at);
		const dying = open_(disk);
		const changed = await dying.change((all) => amendedVoice(all, 'a', { status: 'ready' }));
		dying.close();
		const next = open_();
		const read = await next.read();
		expect(next.brokenFile()).toBeNull();
		next.close();
		if (!read.ok) throw new Error(read.error.kind);
		// What it said to have written is there; what it did not may be either.
		if (changed.ok) expect(read.value).toEqual(after);
		else expect([before, after]).toContainEqual(read.value);
		if (calls() <= at) break;
		deaths += 1;
	}
	expect(deaths).toBeGreaterThan(4);
});
