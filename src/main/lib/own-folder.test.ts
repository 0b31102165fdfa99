import {
	chmodSync,
	chownSync,
	lchownSync,
	mkdirSync,
	mkdtempSync,
	rmSync,
	statSync,
	symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { claimFolder } from './own-folder.ts';

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
