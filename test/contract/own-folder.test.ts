import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

/* The command line looks at its data folder before it does anything there. */

function list(mode: number, ...more: readonly string[]) {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-folder-'));
	try {
		chmodSync(folder, mode);
		const args = [resolve('src/main/cli/index.ts'), 'history', 'list', ...more];
		const { status, stdout, stderr } = spawnSync(
			process.execPath,
			[...args, ...(more.length > 0 ? [`--user-data-dir=${folder}`] : [])],
			{ encoding: 'utf8', env: { PATH: process.env.PATH, DRAGOMAN_USER_DATA: folder } },
		);
		return { status, stdout, stderr, mode: statSync(folder).mode & 0o7777 };
	} finally {
		rmSync(folder, { recursive: true });
	}
}

test.skipIf(process.platform === 'win32')('one that is open to others is closed', { timeout: 30_000 }, () => {
	expect(list(0o755)).toMatchObject({ status: 0, mode: 0o700 });
});

test.skipIf(process.platform === 'win32')(
	'one that is for everybody is refused in a sentence, or as JSON, and left as it is',
	{ timeout: 30_000 },
	() => {
		const said = list(0o1777);
		expect(said).toMatchObject({ status: 1, stdout: '', mode: 0o1777 });
		expect(said.stderr).toMatch(/^The data folder .* holds other things too.*--user-data-dir/);
		const { status, stdout } = list(0o1777, '--json');
		expect([status, JSON.parse(stdout).error]).toMatchObject([1, { kind: 'storage-failed', code: 1 }]);
	},
);
