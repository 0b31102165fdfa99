import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import { newFolder } from '#test/support/voice-rig.ts';
import { createRecordings } from './recordings.ts';

let base = '';
let folder = '';
beforeEach(() => {
	base = newFolder();
	folder = join(base, 'deep', 'samples');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const warned: string[] = [];
const log = { warn: (message: string) => void warned.push(message) };
const start = () => createRecordings(folder, async () => 6000, log);
const files = () => (existsSync(folder) ? readdirSync(folder) : []);
const MOST = 10_000_000;
const unknown = err({ kind: 'not-found', what: 'recording' });
const failed = err({ kind: 'storage-failed', what: 'recording' });

async function begun(recordings = start()) {
	const id = await recordings.begin('Mine.wav');
	if (!id.ok) throw new Error(id.error.kind);
	return { recordings, id: id.value, path: join(folder, `${id.value}.wav`) };
}

describe('a recording', () => {
	test('is a file of its own that only its user can read', async () => {
		const { path } = await begun();
		if (process.platform !== 'win32') {
			expect([statSync(folder).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
		}
		expect(files()).toHaveLength(1);
	});

	test('cannot be begun where there is no folder to be had', async () => {
		writeFileSync(join(base, 'deep'), 'a file');
		expect(await start().begin('Mine')).toEqual(failed);
	});

	test('takes pieces in order, and only of the one that is open', async () => {
		const { recordings, id } = await begun();
		const piece = Buffer.from('abc');
		expect(await recordings.append('another', 0, piece)).toEqual(unknown);
		expect(await recordings.append(id, 0, piece)).toEqual(ok());
		expect(await recordings.append(id, 0, piece)).toEqual(
			err({ kind: 'bug', where: 'recording: piece out of order' }),
		);
		expect(await recordings.append(id, 3, piece)).toEqual(ok());
		expect(await recordings.end('another')).toEqual(unknown);
		expect(await recordings.end(id)).toMatchObject({
			value: { name: 'Mine.wav', bytes: 6, recorded: true },
		});
		expect(await start().append(id, 0, piece)).toEqual(unknown);
		expect(await start().end(id)).toEqual(unknown);
	});

	test('has as many bytes as the service takes, and is erased with one more', async () => {
		const { recordings, id } = await begun();
		expect(await recordings.append(id, 0, new Uint8Array(MOST - 1))).toEqual(ok());
		expect(await recordings.append(id, MOST - 1, new Uint8Array(1))).toEqual(ok());
		expect(files()).toHaveLength(1);
		expect(await recordings.append(id, MOST, new Uint8Array(1))).toEqual(
			err({ kind: 'voice-invalid', fields: [{ field: 'sample', reason: 'too-large' }] }),
		);
		expect(files()).toEqual([]);
		expect(await recordings.append(id, MOST, new Uint8Array(0))).toEqual(unknown);
	});

	test('that is thrown away is erased, also where its file is gone already', async () => {
		const { recordings, id, path } = await begun();
		await recordings.discard('another');
		expect(files()).toHaveLength(1);
		rmSync(path);
		await recordings.discard(id);
		await recordings.discard(id);
		await recordings.discard(null);
		expect(await recordings.append(id, 0, Buffer.from('a'))).toEqual(unknown);
	});

	test('whichever is open is thrown away for null', async () => {
		const { recordings } = await begun();
		await recordings.discard(null);
		expect(files()).toEqual([]);
	});
});

describe('a finished one', () => {
	test('is erased by its path, and nothing outside its folder is; twice is once', async () => {
		const { recordings, id, path } = await begun();
		await recordings.append(id, 0, Buffer.from('abc'));
		await recordings.end(id);
		expect(readFileSync(path, 'utf8')).toBe('abc');
		const other = join(base, 'mine.wav');
		writeFileSync(other, '');
		await recordings.remove(other);
		await recordings.remove(path);
		await recordings.remove(path);
		expect([existsSync(other), files()]).toEqual([true, []]);
	});

	test('that cannot be erased is logged, and the others are erased all the same', async () => {
		const { recordings, id, path } = await begun();
		// A folder is refused on every system.
		for (const stuck of [join(folder, 'a.wav'), join(folder, 'z.wav')]) mkdirSync(stuck);
		writeFileSync(join(folder, 'm.wav'), '');
		warned.length = 0;
		await recordings.tidy(new Set());
		expect(files().sort()).toEqual([`${id}.wav`, 'a.wav', 'z.wav'].sort());
		await recordings.remove(join(folder, 'a.wav'));
		rmSync(path);
		mkdirSync(path);
		await recordings.discard(null);
		expect(warned).toEqual(Array(4).fill('a recording could not be erased'));
	});

	test('is tidied away unless somebody needs it or it is being made', async () => {
		await start().tidy(new Set());
		const { recordings, path } = await begun();
		const needed = join(folder, 'needed.wav');
		for (const one of [needed, join(folder, 'left.wav')]) writeFileSync(one, '');
		await recordings.tidy(new Set([needed]));
		expect(
			files()
				.map((name) => join(folder, name))
				.sort(),
		).toEqual([path, needed].sort());
	});
});
