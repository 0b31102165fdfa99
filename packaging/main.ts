/**
 * `npm run package [-- --dir] [--linux] [--mac] [--win]`: builds the app, prepares and checks the files to ship, and
 * creates packages of them as far as this machine allows. `--dir` omits the installers. Default system: the current
 * one. `--tarball` (for `npm pack`, as its `prepack`) prepares the files that npm then packs according to the
 * `files` of package.json.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readArguments } from '#scripts/arguments.ts';
import { buildWhenNeeded } from '#scripts/build.ts';
import { takeEnvironment } from '#shared/lib/environment.ts';
import { readAsar } from './asar.ts';
import { problemsOf, textProblems } from './check.ts';
import { builderConfig } from './config.ts';
import { packagedFuseProblems } from './fuses.ts';
import { doubtfulLicences, noticesOf, type Shipped, shippedPackages } from './licences.ts';
import { sbomOf } from './sbom.ts';
import { readPacked, stageApp } from './stage.ts';

/** Neither npm nor electron-builder, nor the programs that they run, receive keys or tokens. */
const env = takeEnvironment(process.env, (said) => process.stderr.write(said));
const root = join(import.meta.dirname, '..');
const tool = join(import.meta.dirname, 'tool');
const systems = ['linux', 'mac', 'win'] as const;
type System = (typeof systems)[number];

const own: System = process.platform === 'darwin' ? 'mac' : process.platform === 'win32' ? 'win' : 'linux';
const REACH_LIMIT_MS = 15_000;
const say = (line: string) => process.stdout.write(`${line}\n`);

/** Prepares and checks the package; returns the reasons why it must not be shipped. */
function prepare(): readonly string[] {
	const shipped = shippedPackages(root);
	const files = readPacked(stageApp(root, shipped));
	const bytes = files.reduce((sum, { size }) => sum + size, 0);
	say(`Laid out in out/package/app: ${files.length} files, ${(bytes / 1e6).toFixed(1)} MB.`);
	say(`Licences of ${shipped.length} packages are in THIRD-PARTY-NOTICES.txt.`);
	const sbom = sbomOf(root, shipped, { electron: electronHere().version });
	writeFileSync(join(root, 'out/package/sbom.cdx.json'), `${JSON.stringify(sbom, null, '\t')}\n`);
	say('What it consists of is in out/package/sbom.cdx.json (CycloneDX).');
	return [...problemsOf(files, secrets()), ...doubtful(shipped)];
}

/**
 * Writes the notices of bundled packages; npm packs the other files unchanged. Returns the reasons why it must
 * not be shipped.
 */
function prepareTarball(): readonly string[] {
	const shipped = shippedPackages(root);
	writeFileSync(join(root, 'out/THIRD-PARTY-NOTICES.txt'), noticesOf(shipped));
	const built = ['main', 'preload', 'renderer'].flatMap((part) =>
		readPacked(join(root, 'out', part)).map((file) => ({ ...file, path: `out/${part}/${file.path}` })),
	);
	return [...built.flatMap((file) => textProblems(file, secrets())), ...doubtful(shipped)];
}

const doubtful = (shipped: readonly Shipped[]) =>
	doubtfulLicences(shipped).map((one) => `Licence to be read: ${one}`);

/** Values of the environment that must not be shipped. */
const secrets = () =>
	Object.entries(env)
		.filter(([name]) => /KEY|TOKEN|SECRET|PASSWORD/i.test(name))
		.map(([, value]) => value ?? '');

/** Electron's version, and the folder of an unpacked copy on this computer; `null` if there is none. */
function electronHere(): { readonly version: string; readonly dist: string | null } {
	const folder = join(root, 'node_modules/electron');
	const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
	const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(folder, 'dist');
	return { version, dist: existsSync(dist) ? dist : null };
}

async function canDownload(version: string): Promise<boolean> {
	const base = process.env.ELECTRON_MIRROR ?? 'https://github.com/electron/electron/releases/download/';
	try {
		const signal = AbortSignal.timeout(REACH_LIMIT_MS);
		return (await fetch(`${base}v${version}/SHASUMS256.txt`, { method: 'HEAD', signal })).ok;
	} catch {
		return false;
	}
}

/** Installs the packager in its own folder, so that building only the app does not require it. */
function bringTool(): boolean {
	if (existsSync(join(tool, 'node_modules/electron-builder'))) return true;
	say('Installing electron-builder …');
	const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
	const done = spawnSync(npm, ['ci'], {
		cwd: tool,
		stdio: ['ignore', 'ignore', 'inherit'],
		shell: npm.endsWith('.cmd'),
	});
	return done.status === 0;
}

async function pack(
	system: System,
	dirOnly: boolean,
	electron: ReturnType<typeof electronHere>,
): Promise<readonly string[]> {
	// An unpacked Electron can only be used for the system for which it was downloaded.
	const electronDist = system === own ? (electron.dist ?? undefined) : undefined;
	const { build, Platform } = (await import(
		join(tool, 'node_modules/electron-builder/out/index.js')
	)) as typeof import('./electron-builder.d.ts');
	const platform = { linux: Platform.LINUX, mac: Platform.MAC, win: Platform.WINDOWS }[system];
	const output = join(root, 'out/package', system);
	// Outside this folder: electron-builder searches parent folders for dependencies and would ship the
	// developer's.
	const projectDir = mkdtempSync(join(tmpdir(), 'dragoman-package-'));
	try {
		cpSync(join(root, 'out/package/app'), projectDir, { recursive: true });
		const config = builderConfig({
			root,
			output,
			electronVersion: electron.version,
			electronDist,
		});
		const made = await build({ projectDir, targets: platform.createTarget(dirOnly ? 'dir' : null), config });
		say(`Made for ${system}: ${made.length > 0 ? made.join(', ') : `${output}, unpacked`}`);
	} finally {
		rmSync(projectDir, { recursive: true, force: true });
	}
	return packedProblems(output);
}

/** Checks the output of electron-builder as well, because it adds dependencies by its own rules. */
function packedProblems(output: string): readonly string[] {
	const archives = readdirSync(output, { recursive: true, encoding: 'utf8' }).filter(
		(path) => basename(path) === 'app.asar',
	);
	if (archives.length === 0) return [`${output} holds no app.asar`];
	const inArchives = archives.flatMap((archive) => {
		const problems = problemsOf(readAsar(join(output, archive)));
		if (existsSync(join(output, `${archive}.unpacked`)))
			problems.push(`${archive}.unpacked should not be there`);
		return problems;
	});
	return [...inArchives, ...packagedFuseProblems(output)];
}

async function main(): Promise<number> {
	const { values } = readArguments(import.meta.filename, {
		options: {
			dir: { type: 'boolean' },
			tarball: { type: 'boolean' },
			linux: { type: 'boolean' },
			mac: { type: 'boolean' },
			win: { type: 'boolean' },
		},
	});
	if (!(await buildWhenNeeded())) return 1;
	const problems = values.tarball ? prepareTarball() : prepare();
	if (problems.length > 0) return refuse(problems);
	if (values.tarball) return 0;
	const electron = electronHere();
	const wanted = systems.filter((system) => values[system]);
	const packed: string[] = [];
	const left: string[] = [];
	const reachable = await canDownload(electron.version);
	for (const system of wanted.length > 0 ? wanted : [own]) {
		const reason = whyNot(system, { reachable, dist: electron.dist });
		if (reason) left.push(`${system}: ${reason}`);
		else if (!bringTool()) left.push(`${system}: electron-builder could not be installed`);
		else {
			const wrong = await pack(system, values.dir ?? false, electron);
			if (wrong.length > 0) return refuse(wrong);
			packed.push(system);
		}
	}
	for (const reason of left) say(`Not made for ${reason}.`);
	return wanted.length > 0 && packed.length === 0 ? 1 : 0;
}

function refuse(problems: readonly string[]): number {
	for (const problem of problems) process.stderr.write(`${problem}\n`);
	process.stderr.write('This must not be shipped.\n');
	return 1;
}

/** The reason why this computer cannot package for a system; null = it can. */
function whyNot(system: System, have: { reachable: boolean; dist: string | null }): string | null {
	if (system === 'mac' && own !== 'mac') return 'packages of macOS are made and signed on a Mac';
	if (system === own && have.dist) return null;
	return have.reachable
		? null
		: "Electron's binary is a download, and its server cannot be reached from here";
}

process.exitCode = await main();
