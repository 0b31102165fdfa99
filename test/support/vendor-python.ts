import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where what tests fetch is kept between runs. */
const CACHE = join(homedir(), '.cache/dragoman-tests');
const PACKAGE = 'palabra-ai';
const INSTALL_LIMIT_MS = 180_000;

export type PythonClient = { readonly python: string } | { readonly missing: string };

/**
 * A Python that has the vendor's client of that version, in a virtual environment of its own that is
 * made once. `missing` says why there is none: no Python, no venv module, or no package index.
 */
export function pythonClient(version: string): PythonClient {
	return pythonWith({ [PACKAGE]: version }, `python-${version}`);
}

/** A Python that has these versions of these packages. */
export function pythonWith(packages: Readonly<Record<string, string>>, name: string): PythonClient {
	const folder = join(CACHE, name);
	const wanted = Object.entries(packages).map(([one, version]) => `${one}==${version}`);
	const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
	if (installed(python, packages)) return { python };
	const system = ['python3', 'python'].find((name) => isNewEnough(name));
	if (!system) return { missing: 'no Python 3.10 or later' };
	// An environment left by an interrupted run is useless.
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(CACHE, { recursive: true });
	const made = run(system, ['-m', 'venv', folder]);
	if (made !== null) return { missing: `no virtual environment: ${made}` };
	const fetched = run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...wanted]);
	const named = wanted.join(', ').replaceAll('==', ' ');
	if (fetched !== null) return { missing: `the package ${named} could not be installed: ${fetched}` };
	return installed(python, packages) ? { python } : { missing: `the package ${named} is broken` };
}

function isNewEnough(program: string): boolean {
	return spawnSync(program, ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0;
}

function installed(python: string, packages: Readonly<Record<string, string>>): boolean {
	const wanted = JSON.stringify(packages);
	const check = `import importlib.metadata as m, palabra_ai, sys; sys.exit(any(m.version(n) != v for n, v in ${wanted}.items()))`;
	return existsSync(python) && spawnSync(python, ['-c', check]).status === 0;
}

/** Null when it went well, else the last line it wrote. */
function run(program: string, args: readonly string[]): string | null {
	const done = spawnSync(program, args, { encoding: 'utf8', timeout: INSTALL_LIMIT_MS });
	if (done.status === 0) return null;
	return `${done.stderr ?? ''}${done.error?.message ?? ''}`.trim().split('\n').at(-1) || 'no reason given';
}

/** Runs a script of `test/vendor-python`; returns its standard output as JSON, or its error output. */
export function runScript(
	python: string,
	script: string,
	env: Readonly<Record<string, string>>,
): Promise<unknown> {
	return new Promise((done, failed) => {
		const child = spawn(python, [join('test/vendor-python', script)], {
			env: { ...process.env, ...env, PYTHONDONTWRITEBYTECODE: '1' },
			stdio: ['ignore', 'pipe', 'pipe'],
			timeout: 120_000,
		});
		let out = '';
		let complaint = '';
		child.stdout.on('data', (chunk) => (out += chunk));
		child.stderr.on('data', (chunk) => (complaint += chunk));
		child.on('error', failed);
		child.on('close', (code) => {
			if (code === 0) done(JSON.parse(out));
			else failed(new Error(`${script} ended with ${code}: ${complaint.slice(-2000)}`));
		});
	});
}
