import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isBuilt } from '#main/lib/own-program.ts';
import { withoutSecrets } from '#shared/lib/environment.ts';
import { cacheRoot } from './chromium.ts';

function packageFolder(): string | null {
	try {
		return dirname(createRequire(import.meta.url).resolve('electron/package.json'));
	} catch {
		return null;
	}
}

/**
 * The folder into which the package's installer puts the program: the package itself or, for an installed
 * copy, which writes nothing into its own folder, a copy in the user's cache.
 */
function programFolder(source: string | null, env: NodeJS.ProcessEnv): string | null {
	if (!source || !isBuilt) return source;
	const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
	return join(cacheRoot(env), `electron-${version}`);
}

/**
 * Electron's program if it is already there: `ELECTRON_OVERRIDE_DIST_PATH`, or an earlier download. Never
 * requires the package, which would download.
 */
export function findElectron(
	env: NodeJS.ProcessEnv = process.env,
	folder: string | null = programFolder(packageFolder(), env),
): string | null {
	const named = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' };
	const name =
		process.platform === 'darwin' || process.platform === 'win32' ? named[process.platform] : 'electron';
	const candidates: string[] = [];
	if (env.ELECTRON_OVERRIDE_DIST_PATH) candidates.push(join(env.ELECTRON_OVERRIDE_DIST_PATH, name));
	else if (folder) {
		try {
			candidates.push(join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim()));
		} catch {
			// Not downloaded.
		}
	}
	return candidates.find((path) => existsSync(path)) ?? null;
}

/**
 * The program, downloaded by its package's own installer if it is not there yet; null if that fails. The
 * installer gets neither key nor token. If `folder` is not the package (`source`), the package is copied
 * there first.
 */
export function fetchElectron(
	env: NodeJS.ProcessEnv = process.env,
	source: string | null = packageFolder(),
	folder: string | null = programFolder(source, env),
): string | null {
	const found = findElectron(env, folder);
	if (found || !source || !folder || env.ELECTRON_OVERRIDE_DIST_PATH) return found;
	// If it cannot be had, this prints at every start, so it must not promise to be the last.
	process.stderr.write('Electron is not here yet: trying to download it…\n');
	try {
		if (folder !== source) cpSync(source, folder, { recursive: true });
	} catch {
		return null;
	}
	const done = spawnSync(process.execPath, [join(folder, 'install.js')], {
		stdio: ['ignore', 'ignore', 'pipe'],
		timeout: 300_000,
		// A copy finds the modules that the installer needs there.
		env: { ...withoutSecrets(env), NODE_PATH: dirname(source) },
	});
	return done.status === 0 ? findElectron(env, folder) : null;
}
