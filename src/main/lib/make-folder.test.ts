import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder, makeFolderNow } from './make-folder.ts';

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
		const code = `import { ${name} } from ${JSON.stringify(join(import.meta.dirname, 'make-folder.ts'))};
			try { await ${name}('/proc/nobody/here'); } catch (thrown) { console.log(thrown.code); }`;
		const ran = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
			encoding: 'utf8',
			timeout: 10_000,
			killSignal: 'SIGKILL',
		});
		expect(ran).toMatchObject({ signal: null, stdout: 'ENOENT\n' });
	},
);
