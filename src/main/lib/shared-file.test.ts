import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod/mini';
import { createSystemClock } from '#main/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';
import { createFastClock } from '#test/support/manual-clock.ts';
import { createSharedFile, listFormat, type SharedDisk, type SharedFile, takeLock } from './shared-file.ts';

interface Book {
	title: string;
	read: boolean;
}

const format = listFormat('books', z.object({ title: z.string(), read: z.boolean() }));
const book = (title: string): Book => ({ title, read: false });

let folder = '';
beforeEach(async () => {
	folder = await fs.mkdtemp(join(tmpdir(), 'dragoman-shared-'));
});
afterEach(() => fs.rm(folder, { recursive: true, force: true }));

const file = () => join(folder, 'books.json');
const owners = () => join(folder, 'books.owners');
const clock = createSystemClock();
const open = (disk: SharedDisk = fs, into = folder, itsClock: Clock = clock): SharedFile<Book> =>
	createSharedFile({ folder: into, name: 'books', format, clock: itsClock, log: silentLogger, disk });
const mode = async (path: string) => ((await fs.stat(path)).mode & 0o777).toString(8);

test('keeps entries and salt from one program to the next, and is readable by its owner only', async () => {
	const one = open();
	await one.change(() => [book('a'), book('b')]);
	const salt = await one.salt();
	one.close();
	const two = open();
	expect(await two.change((all) => all.slice(1))).toEqual({ ok: true, value: [book('b')] });
	expect(await two.salt()).toEqual(salt);
	expect(
		await Promise.all([file(), join(folder, 'books.lock'), join(owners(), two.owner)].map(mode)),
	).toEqual(['600', '600', '600']);
	expect(await mode(owners())).toBe('700');
	two.close();
});

test('is not written through a link that somebody plants where its new copy is to be', async () => {
	const foreign = join(folder, 'foreign');
	await fs.writeFile(foreign, 'theirs');
	const planted: SharedDisk = {
		...fs,
		async rm(path, options) {
			await fs.rm(path, options);
			if (String(path).endsWith('.tmp')) await fs.symlink(foreign, path).catch(() => {});
		},
	};
	const one = open(planted);
	expect((await one.change(() => [book('a')])).ok).toBe(false);
	expect(await fs.readFile(foreign, 'utf8')).toBe('theirs');
	one.close();
});

test('a lock that an earlier version left readable for all is not so afterwards', async () => {
	await fs.writeFile(join(folder, 'books.lock'), '');
	await fs.chmod(join(folder, 'books.lock'), 0o644);
	const one = open();
	await one.read();
	expect(await mode(join(folder, 'books.lock'))).toBe('600');
	one.close();
});

test('has one salt from the first look on, whoever writes first', async () => {
	const [one, two] = [open(), open()];
	await one.read();
	await two.read();
	const first = await one.salt();
	await two.change(() => [book('a')]);
	expect([await one.salt(), await two.salt()]).toEqual([first, first]);
	one.close();
	two.close();
});

test('the salt of a look at an empty folder was never written, and is not the one of the first change', async () => {
	const one = open();
	await one.read();
	const before = await one.salt();
	await one.change(() => [book('a')]);
	one.close();
	const next = open();
	expect(await next.salt()).toEqual(before);
	next.close();
});

test('two programs change it in turn, and know of each other whether they live', async () => {
	const [one, two] = [open(), open()];
	const titles = Array.from({ length: 20 }, (_, index) => `book-${index}`);
	await Promise.all(
		titles.map((title, index) => (index % 2 ? one : two).change((all) => [...all, book(title)])),
	);
	const read = await one.read();
	expect(read.ok && read.value.map(({ title }) => title).sort()).toEqual([...titles].sort());
	expect(one.isInUse(one.owner)).toBe(true);
	expect(one.isInUse(two.owner)).toBe(true);
	two.close();
	expect(one.isInUse(two.owner)).toBe(false);
	expect(one.isInUse('../../etc/passwd')).toBe(false);
	expect(await fs.readdir(owners())).toEqual([one.owner]);
	one.close();
});

test('is read where the disk takes no change, with its salt, and what is broken as far as it goes', async () => {
	const before = open();
	await before.change(() => [book('a')]);
	const salt = await before.salt();
	before.close();
	// In place of the lock: as little can be opened for writing as on a read-only disk, also by root.
	await fs.rm(join(folder, 'books.lock'));
	await fs.mkdir(join(folder, 'books.lock'));
	const one = open();
	expect(await one.read()).toEqual({ ok: true, value: [book('a')] });
	expect(await one.salt()).toEqual(salt);
	expect(await one.change((all) => all)).toMatchObject({ ok: false });
	const text = await fs.readFile(file(), 'utf8');
	await fs.writeFile(file(), text.replace('[', '[{"title":7},'));
	expect(await one.read()).toEqual({ ok: true, value: [book('a')] });
	await fs.rm(file());
	expect(await one.read()).toEqual({ ok: true, value: [] });
	await fs.mkdir(file());
	expect(await one.read()).toMatchObject({ ok: false });
	one.close();
});

test('a start writes nothing when there is nothing to change', async () => {
	const before = open();
	await before.change(() => [book('a')]);
	before.close();
	const one = open({ ...fs, open: () => expect.unreachable(), rename: () => expect.unreachable() });
	expect((await one.salt()).ok).toBe(true);
	expect((await one.read()).ok).toBe(true);
	one.close();
});

test('clears away the traces of programs that were killed, also of those that no entry names', async () => {
	const living = open();
	await living.read();
	for (const name of ['killed', 'killed-too']) await fs.writeFile(join(owners(), name), '');
	const next = open();
	await next.read();
	expect(new Set(await fs.readdir(owners()))).toEqual(new Set([living.owner, next.owner]));
	expect(next.isInUse(living.owner)).toBe(true);
	living.close();
	next.close();
});

test('nobody signs in while another program changes it: its file would be taken for one that is left over', async () => {
	const lock = takeLock(join(folder, 'books.lock'));
	const waits = Promise.withResolvers<void>();
	const slow: Clock = {
		...clock,
		after(ms, run) {
			waits.resolve();
			return clock.after(ms, run);
		},
	};
	const one = open(fs, folder, slow);
	const read = one.read();
	await waits.promise;
	expect(await fs.readdir(folder)).toEqual(['books.lock']);
	lock?.release();
	await read;
	expect(await fs.readdir(owners())).toEqual([one.owner]);
	one.close();
});

test('can be changed after it was closed, and leaves no trace then', async () => {
	const one = open();
	await one.change(() => [book('a')]);
	const late = one.change((all) => all);
	one.close();
	expect((await late).ok).toBe(true);
	expect((await one.change(() => [])).ok).toBe(true);
	expect(await fs.readdir(owners())).toEqual([]);
});

test('what cannot be read is kept aside and said, and what is right in it goes on', async () => {
	await fs.writeFile(file(), '{"version":1,"boo');
	const first = open();
	expect(await first.read()).toEqual({ ok: true, value: [] });
	expect(first.brokenFile()).toMatch(/books\.json\.broken-\d+$/);
	expect(await fs.readFile(first.brokenFile() ?? '', 'utf8')).toBe('{"version":1,"boo');
	first.close();
	const text = format.format({ salt: 'salt-salt', entries: [book('a'), book('b')] });
	await fs.writeFile(file(), text.replace('"title": "a"', '"title": 17'));
	const second = open();
	expect(await second.read()).toEqual({ ok: true, value: [book('b')] });
	expect(second.brokenFile()).not.toBeNull();
	expect(await second.salt()).toEqual({ ok: true, value: 'salt-salt' });
	second.close();
});

test('one of a later version is left alone', async () => {
	const newer = JSON.stringify({ version: 2, salt: 'salt-salt', books: [] });
	await fs.writeFile(file(), newer);
	const one = open();
	expect(await one.change((all) => all)).toEqual({
		ok: false,
		error: { kind: 'storage-failed', what: `${file()} (newer version)` },
	});
	expect(await fs.readFile(file(), 'utf8')).toBe(newer);
	one.close();
});

test('where a file is in place of the folder is a problem, not a crash', async () => {
	await fs.writeFile(join(folder, 'file'), '');
	const one = open(fs, join(folder, 'file'));
	expect(await one.change((all) => all)).toMatchObject({ ok: false, error: { kind: 'storage-failed' } });
});

test.skipIf(process.platform === 'win32')(
	'nothing is written through a link that lies where the new file, or a lock, is to be',
	async () => {
		const victim = join(folder, 'victim');
		await fs.writeFile(victim, 'precious');
		await fs.symlink(victim, `${file()}.tmp`);
		const one = open();
		expect((await one.change(() => [book('a')])).ok).toBe(true);
		expect((await fs.lstat(file())).isSymbolicLink()).toBe(false);
		one.close();
		await fs.rm(join(folder, 'books.lock'));
		await fs.symlink(victim, join(folder, 'books.lock'));
		const two = open();
		expect(await two.change((all) => all)).toMatchObject({ ok: false, error: { kind: 'storage-failed' } });
		expect(await fs.readFile(victim, 'utf8')).toBe('precious');
		expect((await fs.stat(victim)).size).toBe(8);
		two.close();
	},
);

/** A disk that dies at call number `at` and stays dead; half of what was being written may be there. */
function dyingDisk(at: number): { disk: SharedDisk; calls: () => number } {
	let calls = 0;
	const alive = (): void => {
		calls += 1;
		if (calls > at) throw new Error('the power is gone');
	};
	const mortal =
		<Args extends unknown[], Value>(call: (...args: Args) => Promise<Value>) =>
		async (...args: Args): Promise<Value> => {
			alive();
			return call(...args);
		};
	const disk = {
		readdir: mortal(fs.readdir as SharedDisk['readdir']),
		readFile: mortal(fs.readFile),
		copyFile: mortal(fs.copyFile),
		rename: mortal(fs.rename),
		rm: mortal(fs.rm),
		open: mortal(async (...args: Parameters<SharedDisk['open']>) => {
			const handle = await fs.open(...args);
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
		}),
	};
	return { disk: disk as SharedDisk, calls: () => calls };
}

test('the power may go at any call to the disk: the old file is there, or the new one, whole', async () => {
	const before = [book('a')];
	const after = [{ ...book('a'), read: true }];
	let deaths = 0;
	for (let at = 0; ; at += 1) {
		await fs.rm(folder, { recursive: true, force: true });
		await fs.mkdir(folder);
		await fs.writeFile(file(), format.format({ salt: 'salt-salt', entries: before }));
		const { disk, calls } = dyingDisk(at);
		const dying = open(disk);
		const changed = await dying.change((all) => all.map((one) => ({ ...one, read: true })));
		dying.close();
		const next = open();
		const read = await next.read();
		expect(next.brokenFile()).toBeNull();
		next.close();
		if (!read.ok) throw new Error(read.error.kind);
		// What it reported as written is there; other changes may or may not be.
		if (changed.ok) expect(read.value).toEqual(after);
		else expect([before, after]).toContainEqual(read.value);
		if (calls() <= at) break;
		deaths += 1;
	}
	expect(deaths).toBeGreaterThan(6);
});

test('the power may go while a file that is invalid in parts is set aside: its valid entries are still there', async () => {
	const good = book('b');
	for (let at = 0; ; at += 1) {
		await fs.rm(folder, { recursive: true, force: true });
		await fs.mkdir(folder);
		const entries = [{ ...book('a'), title: 17 } as never, good];
		await fs.writeFile(file(), format.format({ salt: 'salt-salt', entries }));
		const { disk, calls } = dyingDisk(at);
		const dying = open(disk);
		await dying.read();
		dying.close();
		const next = open();
		expect(await next.read()).toEqual(ok([good]));
		next.close();
		if (calls() <= at) break;
	}
});

test('a write that fails leaves nothing behind that takes the room of the next one', async () => {
	const full: SharedDisk = {
		...fs,
		open: async (...args) => {
			const handle = await fs.open(...args);
			return Object.assign(Object.create(handle), {
				async writeFile(text: string) {
					await handle.writeFile(text.slice(0, 5));
					throw Object.assign(new Error('full'), { code: 'ENOSPC' });
				},
				close: () => handle.close(),
			});
		},
	};
	const one = open(full);
	expect(await one.change(() => [book('a')])).toEqual({
		ok: false,
		error: { kind: 'storage-failed', what: `${file()} (ENOSPC)` },
	});
	expect((await fs.readdir(folder)).sort()).toEqual(['books.lock', 'books.owners']);
	one.close();
});

test('of a program whose traces cannot be removed nobody knows that it is gone', async () => {
	const one = open();
	await one.read();
	// A folder is refused on every system.
	await fs.mkdir(join(owners(), 'other-journal'));
	expect(one.isInUse('other')).toBe(true);
	await fs.rmdir(join(owners(), 'other-journal'));
	expect(one.isInUse('other')).toBe(false);
	one.close();
});

test.each([
	['EBUSY', 'win32', 10, 11, true],
	['EPERM', 'win32', 11, 11, false],
	['EACCES', 'linux', 1, 1, false],
	['ENOSPC', 'win32', 1, 1, false],
] as const)('a file that somebody holds (%s on %s, %i times) is replaced in %i tries: %s', async (...row) => {
	const [code, platform, times, tries, isDone] = row;
	let tried = 0;
	const held: SharedDisk = {
		...fs,
		async rename(...way) {
			tried += 1;
			if (tried <= times) throw Object.assign(new Error('held'), { code });
			await fs.rename(...way);
		},
	};
	const parts = { folder, name: 'books', format, log: silentLogger };
	const one = createSharedFile({ ...parts, clock: createFastClock(50), disk: held, platform });
	expect([(await one.change(() => [book('a')])).ok, tried]).toEqual([isDone, tries]);
	one.close();
});
