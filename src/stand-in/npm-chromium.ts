import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib';
import { homeFolder, makeFolder } from '#main/lib/make-folder.ts';
import { readTar } from './tar.ts';

const run = promisify(execFile);
const PACKAGE = '@sparticuz/chromium';
const STALE_MS = 3_600_000;

export interface UnpackedChromium {
	readonly executablePath: string;
	readonly env: Readonly<Record<string, string>>;
}

/** Folder of the npm package that carries a headless Chromium for Linux x64, or null. */
function packageFolder(): string | null {
	try {
		return join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), '..');
	} catch {
		return null;
	}
}

function cacheRoot(env: NodeJS.ProcessEnv): string {
	const named = env.XDG_CACHE_HOME;
	return join(named?.startsWith('/') ? named : join(homeFolder() || tmpdir(), '.cache'), 'dragoman');
}

async function unpackTar(archive: string, into: string): Promise<void> {
	for (const entry of readTar(brotliDecompressSync(readFileSync(archive)))) {
		const path = join(into, entry.name);
		await makeFolder(dirname(path), { mode: 0o700 });
		await writeFile(path, entry.data, { mode: entry.mode });
	}
}

async function unpackAll(bin: string, into: string): Promise<void> {
	await makeFolder(into, { mode: 0o700 });
	const binary = join(into, 'chromium');
	await pipeline(
		createReadStream(join(bin, 'chromium.br')),
		createBrotliDecompress(),
		createWriteStream(binary),
	);
	await chmod(binary, 0o700);
	await unpackTar(join(bin, 'fonts.tar.br'), into);
	await unpackTar(join(bin, 'al2023.tar.br'), into);
	await mkdir(join(into, 'font-cache'), { mode: 0o700 });
}

/** Half-unpacked folders that a killed run left behind. */
async function sweep(root: string): Promise<void> {
	for (const name of await readdir(root)) {
		if (!name.includes('.part-')) continue;
		const path = join(root, name);
		const madeAt = await stat(path).then(
			(it) => it.mtimeMs,
			() => Date.now(),
		);
		if (Date.now() - madeAt > STALE_MS) await rm(path, { recursive: true, force: true });
	}
}

/**
 * Without any font nothing is drawn, not even web fonts; so the browser gets a font configuration of its own, with
 * the machine's fonts after ours.
 */
function fontConfig(folder: string, env: NodeJS.ProcessEnv): string {
	const machines = (env.XDG_DATA_DIRS || '/usr/share:/usr/local/share').split(':').filter(Boolean);
	return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${[folder, ...machines].map((one) => `  <dir>${one}/fonts</dir>`).join('\n')}
  <cachedir>${folder}/font-cache</cachedir>
</fontconfig>
`;
}

/** True when the browser starts with the machine's own libraries. */
async function startsAlone(executable: string, env: NodeJS.ProcessEnv): Promise<boolean> {
	return run(executable, ['--version'], { env, timeout: 20_000 }).then(
		() => true,
		() => false,
	);
}

/**
 * Unpacks npm's headless Chromium once per version into the user's cache folder (0700, written
 * beside and renamed, so that two runs at once are safe) and says how to start it. Null when the
 * package is not installed or is for another machine. Never uses the package's own arguments, which
 * switch web security off.
 */
export async function unpackNpmChromium(
	env: NodeJS.ProcessEnv = process.env,
): Promise<UnpackedChromium | null> {
	if (process.platform !== 'linux' || process.arch !== 'x64') return null;
	const folder = packageFolder();
	if (!folder) return null;
	const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
	const root = cacheRoot(env);
	const home = join(root, `chromium-${manifest.version}`);
	if (!existsSync(join(home, 'ready'))) {
		await makeFolder(root, { mode: 0o700 });
		await sweep(root);
		const part = `${home}.part-${randomUUID()}`;
		try {
			await unpackAll(join(folder, 'bin'), part);
			await writeFile(join(part, 'ready'), '');
			// Another run may have been faster: then the folder exists and is not empty, and serves as well.
			await rename(part, home).catch(() => {
				if (!existsSync(join(home, 'ready'))) throw new Error(`cannot put the browser into ${home}`);
			});
		} finally {
			await rm(part, { recursive: true, force: true });
		}
	}
	const executablePath = join(home, 'chromium');
	await writeFile(join(home, 'fonts.conf'), fontConfig(home, env), { mode: 0o600 });
	const fonts = { FONTCONFIG_FILE: join(home, 'fonts.conf') };
	// NSS is missing on a bare machine; where the machine has its own, that is preferred, being kept up to date.
	if (await startsAlone(executablePath, { ...env, ...fonts })) return { executablePath, env: fonts };
	const libraries = [join(home, 'lib'), env.LD_LIBRARY_PATH].filter(Boolean).join(':');
	return { executablePath, env: { ...fonts, LD_LIBRARY_PATH: libraries } };
}
