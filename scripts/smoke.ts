/**
 * `npm run smoke [-- --app PATH] [--json]`: starts the built app and reports whether its shell has the abilities that
 * the app needs, one row per check. It uses Electron if its binary is installed, otherwise the stand-in, for which many
 * rows are `not here`. `DRAGOMAN_SHELL=stand-in` always uses the stand-in. `--app`: tests a packaged app instead (the
 * program; on macOS the `.app`). `--json`: prints the rows as JSON. The status is 1 if a row fails. The run takes ten
 * seconds and shows a window meanwhile.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SMOKE_FILE, SmokeReport, type SmokeRow } from '#main/electron/smoke/report.ts';
import { packagedFuseProblems } from '#packaging/fuses.ts';
import { withoutSecrets } from '#shared/lib/environment.ts';
import { findElectron } from '#stand-in/find-electron.ts';
import { readArguments } from './arguments.ts';

const root = join(import.meta.dirname, '..');
const electron = process.env['DRAGOMAN_SHELL'] === 'stand-in' ? null : findElectron();
/** Limit for all checks together, including a cold start, ms. */
const LIMIT_MS = 180_000;

const { values, refuse } = readArguments(import.meta.filename, {
	options: { app: { type: 'string' }, json: { type: 'boolean', default: false } },
});
if (values.app !== undefined && !existsSync(values.app)) refuse(`There is no ${values.app}.`);

const rows = await smoke(values.app ?? null);
if (values.json) console.log(JSON.stringify(rows, null, '\t'));
else for (const line of tableOf(rows)) console.log(line);
process.exitCode = rows.some(({ state }) => state === 'no') ? 1 : 0;

async function smoke(app: string | null): Promise<readonly SmokeRow[]> {
	const userData = mkdtempSync(join(tmpdir(), 'dragoman-smoke-'));
	try {
		const [program, args] = commandOf(app);
		const ending = await endOf(program, [...args, '--user-data-dir', userData, '--smoke']);
		return [...readRows(join(userData, SMOKE_FILE)), fusesOf(app), ending];
	} finally {
		rmSync(userData, { recursive: true, force: true, maxRetries: 3 });
	}
}

function commandOf(app: string | null): [program: string, args: readonly string[]] {
	if (app !== null) return [app.endsWith('.app') ? programIn(app) : app, []];
	if (electron !== null) return [electron, process.getuid?.() === 0 ? ['--no-sandbox', root] : [root]];
	const hasDisplay = process.platform !== 'linux' || process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'];
	const start = join(root, 'src/stand-in/start.ts');
	return [process.execPath, hasDisplay ? [start] : [start, '--headless']];
}

/** The program in an app folder of macOS: the one with the app's name, or the only one. */
function programIn(app: string): string {
	const folder = join(app, 'Contents', 'MacOS');
	return join(folder, readdirSync(folder)[0] ?? '');
}

/** Runs the program until it exits; if it failed, the row contains its output. */
function endOf(program: string, args: readonly string[]): Promise<SmokeRow> {
	const { promise, resolve } = Promise.withResolvers<SmokeRow>();
	const child = spawn(program, args, {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...withoutSecrets(process.env), DRAGOMAN_SHELL: electron ? 'electron' : 'stand-in' },
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => {
			output = (output + text).slice(-2000);
		});
	const tell = (state: SmokeRow['state'], seen: string) => resolve({ name: 'ending', state, seen });
	const limit = setTimeout(() => {
		child.kill('SIGKILL');
		tell('no', `it did not end within ${LIMIT_MS / 1000} s: ${output}`);
	}, LIMIT_MS);
	child.once('error', (failure) => tell('no', `it could not be started: ${failure.message}`));
	child.once('exit', (status, signal) => {
		if (status === 0) tell('yes', 'ended by itself');
		else tell('no', `ended with ${signal ?? `status ${status}`}: ${output}`);
	});
	return promise.finally(() => clearTimeout(limit));
}

function readRows(file: string): readonly SmokeRow[] {
	if (!existsSync(file)) return [{ name: 'report', state: 'no', seen: 'the app wrote none' }];
	return SmokeReport.parse(JSON.parse(readFileSync(file, 'utf8')));
}

function fusesOf(app: string | null): SmokeRow {
	const name = 'fuses';
	if (app === null) return { name, state: 'not here', seen: 'the app is not packaged' };
	const problems = packagedFuseProblems(app.endsWith('.app') ? app : dirname(app));
	if (problems.length > 0) return { name, state: 'no', seen: problems.join('; ') };
	return { name, state: 'yes', seen: 'each as decided' };
}

function tableOf(all: readonly SmokeRow[]): readonly string[] {
	const wide = Math.max(...all.map(({ name }) => name.length));
	const count = (state: SmokeRow['state']) => all.filter((row) => row.state === state).length;
	return [
		...all.map(({ name, state, seen }) => `${state.padEnd(8)}  ${name.padEnd(wide)}  ${seen}`),
		'',
		`${count('yes')} yes, ${count('no')} no, ${count('not here')} not here`,
	];
}
