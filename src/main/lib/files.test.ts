import { spawnSync } from 'node:child_process';
import {
	chmodSync,
	chownSync,
	existsSync,
	lchownSync,
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
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { notRun } from '#test/support/not-run.ts';
import {
	claimFolder,
	makeFolder,
	makeFolderNow,
	openPart,
	partOf,
	takePlace,
	tryPlace,
	writeWhole,
} from './files.ts';

describe('make folder', () => {
	let folder = '';
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'make-folder-'));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	const ways = [
		['makeFolder', makeFolder],
		['makeFolderNow', async (...given: Parameters<typeof makeFolderNow>) => makeFolderNow(...given)],
	] as const;

	test.each(ways)(
		'%s makes what is missing above it, with its rights, and leaves what is there',
		async (_, make) => {
			const path = join(folder, 'a', 'b', 'c');
			await make(path, { mode: 0o700 });
			writeFileSync(join(path, 'kept'), '');
			await make(path);
			expect(statSync(join(path, 'kept')).isFile()).toBe(true);
			if (process.platform !== 'win32') expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
		},
	);

	test.each(ways)('%s made twice at once is made', async (_, make) => {
		const path = join(folder, 'a', 'b');
		await Promise.all([make(path), make(path)]);
		expect(statSync(path).isDirectory()).toBe(true);
	});

	test.each(ways)('%s says what stands in its way', async (_, make) => {
		const file = join(folder, 'file');
		writeFileSync(file, '');
		await expect(make(file)).rejects.toMatchObject({ code: 'EEXIST' });
		await expect(make(join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
	});

	// In a separate process that can be killed: a call that never returns would block this one.
	test.runIf(process.platform === 'linux').each(['makeFolder', 'makeFolderNow'])(
		'%s ends where the system has no folder to make',
		(name) => {
			const code = `import { ${name} } from ${JSON.stringify(join(import.meta.dirname, 'files.ts'))};
			try { await ${name}('/proc/nobody/here'); } catch (thrown) { console.log(thrown.code); }`;
			const ran = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
				encoding: 'utf8',
				timeout: 10_000,
				killSignal: 'SIGKILL',
			});
			expect(ran).toMatchObject({ signal: null, stdout: 'ENOENT\n' });
		},
	);
});

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

test('the next program removes the leftovers of a killed one after a day', async () => {
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

describe('own folder', () => {
	const SOMEBODY = 12_345;
	let root = '';
	let folder = '';
	beforeEach(() => {
		root = mkdtempSync(join(tmpdir(), 'dragoman-own-'));
		folder = join(root, 'data');
		mkdirSync(folder);
	});
	afterEach(() => {
		vi.unstubAllEnvs();
		rmSync(root, { recursive: true });
	});
	const modeOf = (path: string) => statSync(path).mode & 0o7777;

	describe.skipIf(process.platform === 'win32')('a data folder', () => {
		test.each([0o755, 0o777, 0o701, 0o700])('that is ours with mode %o is closed to all others', (mode) => {
			chmodSync(folder, mode);
			expect([claimFolder(folder), modeOf(folder)]).toEqual([null, 0o700]);
		});

		test('that is not there is not made by looking', () => {
			expect(claimFolder(join(root, 'none'))).toBeNull();
			expect(statSync(join(root, 'none'), { throwIfNoEntry: false })).toBeUndefined();
		});

		test('for everybody is refused and left as it is', () => {
			chmodSync(folder, 0o1777);
			expect([claimFolder(folder), modeOf(folder)]).toEqual(['shared', 0o1777]);
		});

		test('that is a home is refused and left as it is', () => {
			vi.stubEnv('HOME', folder);
			chmodSync(folder, 0o755);
			expect([claimFolder(folder), modeOf(folder)]).toEqual(['shared', 0o755]);
			expect(claimFolder(join(folder, '..', 'data'))).toBe('shared');
		});

		test('may be a link of our own', () => {
			chmodSync(folder, 0o755);
			symlinkSync(folder, join(root, 'link'));
			expect([claimFolder(join(root, 'link')), modeOf(folder)]).toEqual([null, 0o700]);
		});
	});

	// Only root may give a file to another user.
	describe.skipIf(process.getuid?.() !== 0)('what belongs to another user', () => {
		test('as the folder itself is refused and left as it is', () => {
			chmodSync(folder, 0o755);
			chownSync(folder, SOMEBODY, SOMEBODY);
			expect([claimFolder(folder), modeOf(folder)]).toEqual(['foreign', 0o755]);
		});

		test('as the link to it is refused', () => {
			symlinkSync(folder, join(root, 'link'));
			lchownSync(join(root, 'link'), SOMEBODY, SOMEBODY);
			expect(claimFolder(join(root, 'link'))).toBe('foreign');
		});

		test('as a link planted in it, while it was open, is refused', () => {
			chmodSync(folder, 0o777);
			symlinkSync('/etc', join(folder, 'logs'));
			expect(claimFolder(folder)).toBeNull();
			chmodSync(folder, 0o777);
			lchownSync(join(folder, 'logs'), SOMEBODY, SOMEBODY);
			expect(claimFolder(folder)).toBe('foreign');
		});

		test.each([0o777, 0o700])('is refused each time, also in a subfolder, where the mode was %o', (mode) => {
			mkdirSync(join(folder, 'secrets', 'deep'), { recursive: true });
			symlinkSync('/etc/passwd', join(folder, 'secrets', 'key'));
			lchownSync(join(folder, 'secrets', 'key'), SOMEBODY, SOMEBODY);
			chmodSync(folder, mode);
			for (const _start of ['first', 'second']) expect(claimFolder(folder)).toBe('foreign');
			expect(modeOf(folder)).toBe(mode);
		});

		test('is found at any depth of a folder that was open to others', () => {
			mkdirSync(join(folder, 'a', 'b', 'c'), { recursive: true });
			chmodSync(folder, 0o777);
			lchownSync(join(folder, 'a', 'b', 'c'), SOMEBODY, SOMEBODY);
			for (const _start of ['first', 'second']) expect(claimFolder(folder)).toBe('foreign');
		});
	});
});
