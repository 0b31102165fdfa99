import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { withoutSecrets } from '#shared/lib/environment.ts';

function packageFolder(): string | null {
	try {
		return dirname(createRequire(import.meta.url).resolve('electron/package.json'));
	} catch {
		return null;
	}
}

/**
 * Electron's program where it is already there: `ELECTRON_OVERRIDE_DIST_PATH`, or downloaded before.
 * Never requires the package, which would download.
 */
export function findElectron(
	env: NodeJS.ProcessEnv = process.env,
	folder: string | null = packageFolder(),
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
 * The program, downloaded by its own installer if it is not there yet; null when that fails. The installer gets
 * neither key nor token. `folder` is the package's.
 */
export function fetchElectron(
	env: NodeJS.ProcessEnv = process.env,
	folder: string | null = packageFolder(),
): string | null {
	const found = findElectron(env, folder);
	if (found || !folder || env.ELECTRON_OVERRIDE_DIST_PATH) return found;
	// Where it is not available, this is printed, and tried, at every start: it must not promise to be the last time.
	process.stderr.write('Electron is not here yet: trying to download it…\n');
	const done = spawnSync(process.execPath, [join(folder, 'install.js')], {
		stdio: ['ignore', 'ignore', 'pipe'],
		timeout: 300_000,
		env: withoutSecrets(env),
	});
	return done.status === 0 ? findElectron(env, folder) : null;
}
