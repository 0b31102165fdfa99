import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { notRun } from '#test/support/not-run.ts';
import { openPart, partOf, takePlace, tryPlace, writeWhole } from './whole-file.ts';

let folder = '';
let file = '';

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-whole-'));
	file = join(folder, 'talk.srt');
	return () => rmSync(folder, { recursive: true });
});

test('a place is tried without a trace, and what is there stays', async () => {
	await tryPlace(file);
	expect(readdirSync(folder)).toEqual([]);
	writeFileSync(file, 'old');
	await tryPlace(file);
	expect(readFileSync(file, 'utf8')).toBe('old');
	expect(readdirSync(folder)).toEqual(['talk.srt']);
});

test('a folder under the name of the file is found out beforehand, and not written to', async () => {
	mkdirSync(file);
	await expect(tryPlace(file)).rejects.toMatchObject({ code: 'EISDIR' });
	await expect(writeWhole(file, 'new')).rejects.toMatchObject({ code: 'EISDIR' });
	expect(readdirSync(folder)).toEqual(['talk.srt']);
});

const almighty = process.getuid?.() === 0 ? 'root may write every file' : '';
test.skipIf(almighty !== '' && notRun('a file that may not be changed', almighty))(
	'a file that may not be changed is found out beforehand, and not replaced',
	async () => {
		writeFileSync(file, 'old', { mode: 0o444 });
		await expect(tryPlace(file)).rejects.toMatchObject({ code: 'EACCES' });
		await expect(writeWhole(file, 'new')).rejects.toMatchObject({ code: 'EACCES' });
		expect(readFileSync(file, 'utf8')).toBe('old');
	},
);

const other = process.platform === 'win32' ? 'Windows has other rights' : '';
test.skipIf(other !== '' && notRun('the rights of a file that is replaced', other))(
	'the new file has the rights of the one before it, and a link stays one',
	async () => {
		const link = join(folder, 'link.srt');
		writeFileSync(file, 'old');
		chmodSync(file, 0o666);
		symlinkSync(file, link);
		await writeWhole(link, 'new');
		expect(readFileSync(file, 'utf8')).toBe('new');
		expect(statSync(file).mode & 0o777).toBe(0o666);
		expect(lstatSync(link).isSymbolicLink()).toBe(true);
		expect(readdirSync(folder).sort()).toEqual(['link.srt', 'talk.srt']);
	},
);

test.skipIf(other !== '' && notRun('a link to a file that is not there yet', other))(
	'a link to what is not there yet is written through',
	async () => {
		const link = join(folder, 'link.srt');
		symlinkSync(file, link);
		await tryPlace(link);
		await writeWhole(link, 'new');
		expect(readFileSync(file, 'utf8')).toBe('new');
		expect(lstatSync(link).isSymbolicLink()).toBe(true);
	},
);

test.skipIf(process.platform === 'win32')('nobody else can read a file before it is whole', async () => {
	const part = partOf(file);
	const handle = await openPart(part);
	expect(statSync(part).mode & 0o777).toBe(0o600);
	await handle.close();
	await takePlace(part, { path: file });
	expect(statSync(file).mode & 0o777).toBe(0o666 & ~process.umask());
});

test('what a killed program has left beside a file goes with the next one, a day later', async () => {
	const [old, young] = [partOf(file), partOf(file)];
	const others = join(folder, '.somebody.part');
	for (const path of [old, young, others]) writeFileSync(path, 'half');
	const aDayAgo = Date.now() / 1000 - 86_460;
	for (const path of [old, others]) utimesSync(path, aDayAgo, aDayAgo);
	await writeWhole(file, 'new');
	expect([old, young, others].map(existsSync)).toEqual([false, true, true]);
});

test('a file may have the longest name there is', async () => {
	file = join(folder, `${'a'.repeat(251)}.srt`);
	await tryPlace(file);
	await writeWhole(file, 'new');
	expect(readFileSync(file, 'utf8')).toBe('new');
});
