import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { chooseFolders } from './folders.ts';

const paths = vi.hoisted(() => new Map<string, string>());
vi.mock('electron', () => ({
	app: { setName() {}, setPath: (name: string, path: string) => void paths.set(name, path) },
}));

test('a data folder that cannot be written is refused before Electron is told of it', ({
	onTestFinished,
}) => {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-folders-'));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	// Not even root makes a folder below a file.
	writeFileSync(join(folder, 'file'), '');
	expect(chooseFolders(join(folder, 'file', 'data')).refusal).toBe('unwritable');
	expect(paths.size).toBe(0);
	const data = join(folder, 'new', 'data');
	expect(chooseFolders(data)).toMatchObject({ userData: data, refusal: null });
	expect(statSync(data).isDirectory()).toBe(true);
	expect(paths.get('userData')).toBe(data);
});
