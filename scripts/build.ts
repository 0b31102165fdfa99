import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutSecrets } from '#shared/lib/environment.ts';

/** Builds the app into `out/` if its sources have changed since the last build; otherwise prints nothing. */

const root = join(import.meta.dirname, '..');
const out = join(root, 'out');
const stamp = join(out, '.built');
const lock = join(out, '.building');
/** Contains the process id of the builder. */
const lockOwner = join(lock, 'pid');
/** A build takes seconds; an older lock was left behind, ms. */
const STALE_MS = 120_000;

const sources = ['src', 'resources'];
const single = [
	'electron.vite.config.ts',
	...['libraries', 'records', 'window'].map((name) => `scripts/bundle/${name}.ts`),
	'package-lock.json',
	'package.json',
	'tsconfig.base.json',
];

function filesBelow(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
		.map((entry) => join(entry.parentPath, entry.name))
		.sort();
}

function fingerprint(): string {
	const hash = createHash('sha256');
	const files = [
		...sources.flatMap((folder) => filesBelow(join(root, folder))),
		...single.map((it) => join(root, it)),
	];
	for (const file of files) {
		hash.update(`${relative(root, file)}\0`);
		// A file may be deleted between listing and reading: an editor's temporary file.
		try {
			hash.update(readFileSync(file));
		} catch {}
	}
	return hash.digest('hex');
}

function isBuilt(wanted: string): boolean {
	try {
		return readFileSync(stamp, 'utf8') === wanted;
	} catch {
		return false;
	}
}

/** The builder and the programs that it runs are third-party code: they receive neither key nor token. */
export function runBuild(
	script = join(root, 'node_modules/electron-vite/bin/electron-vite.js'),
): Promise<{ status: number; output: string }> {
	return new Promise((done) => {
		const child = spawn(process.execPath, [script, 'build', '--logLevel', 'warn'], {
			cwd: root,
			env: withoutSecrets(process.env),
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		let output = '';
		for (const stream of [child.stdout, child.stderr]) {
			stream.on('data', (chunk: Buffer) => {
				output += chunk.toString('utf8');
			});
		}
		child.on('error', (failure) => done({ status: 1, output: String(failure) }));
		child.on('close', (status) => done({ status: status ?? 1, output }));
	});
}

/** Whether the builder that held the lock was killed, or the lock is too old. */
function isLeft(): boolean {
	if (Date.now() - statSync(lock).mtimeMs > STALE_MS) return true;
	const pid = Number(readFileSync(lockOwner, 'utf8'));
	if (pid <= 0) return false;
	try {
		process.kill(pid, 0);
		return false;
	} catch (thrown) {
		return thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH';
	}
}

/** One build at a time: two programs started at the same time share it. */
async function takeLock(): Promise<void> {
	mkdirSync(out, { recursive: true });
	for (;;) {
		try {
			mkdirSync(lock);
			writeFileSync(lockOwner, String(process.pid));
			return;
		} catch {
			try {
				if (isLeft()) rmSync(lock, { recursive: true, force: true });
			} catch {
				// The lock was released meanwhile.
			}
			await sleep(100);
		}
	}
}

export async function buildWhenNeeded(): Promise<boolean> {
	if (isBuilt(fingerprint())) return true;
	await takeLock();
	try {
		const wanted = fingerprint();
		if (isBuilt(wanted)) return true;
		const { status, output } = await runBuild();
		if (status !== 0) {
			process.stderr.write(`${output}\nThe build failed.\n`);
			return false;
		}
		writeFileSync(stamp, wanted);
		return true;
	} finally {
		rmSync(lock, { recursive: true, force: true });
	}
}

if (import.meta.main && !(await buildWhenNeeded())) process.exitCode = 1;
