import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LaunchedApp, type LaunchOptions, launchApp } from '#stand-in/drive/launch-app.ts';
import { findElectron } from '#stand-in/find-electron.ts';
import { watchKeys } from './key-watch.ts';
import { notRun } from './not-run.ts';

/** Which shell the end-to-end tests run on: `E2E_HOST`, else real Electron where its binary is. */
export const e2eHost: 'electron' | 'chromium' =
	process.env.E2E_HOST === 'electron' || process.env.E2E_HOST === 'chromium'
		? process.env.E2E_HOST
		: findElectron()
			? 'electron'
			: 'chromium';

export interface Launched extends LaunchedApp {
	/** The app's log so far. */
	log(): string;
}

/**
 * The built app with a window to drive. Close what you launch: at its end it is searched for its secrets, of
 * which every app is given one; `close` and `kill` reject when one was found where it must not be.
 */
export async function launch({
	built = true,
	...options
}: Partial<LaunchOptions> & {
	/** Whether to wait until the window is built; before that there is only its first picture. */
	readonly built?: boolean;
} = {}): Promise<Launched> {
	const own = mkdtempSync(join(tmpdir(), 'dragoman-'));
	const traffic = join(own, 'traffic');
	const userData = options.userData ?? mkdtempSync(join(own, 'data-'));
	const env: Readonly<Record<string, string>> = {
		// Without an address of rooms it is not used; it only must not be found anywhere.
		LIVEKIT_API_SECRET: `Canary${randomBytes(12).toString('hex')}`,
		DRAGOMAN_STAND_IN_TRAFFIC: traffic,
		...options.env,
	};
	const remove = () => rmSync(own, { recursive: true, force: true, maxRetries: 3 });
	const app = await launchApp({ host: e2eHost, headless: true, ...options, userData, env }).catch(
		(failure: unknown) => {
			remove();
			throw failure;
		},
	);
	const thrown: string[] = [];
	app.page.on('pageerror', (failure) => thrown.push(failure.stack ?? failure.message));
	if (built) {
		await app.page
			.locator('.first-picture')
			.waitFor({ state: 'detached' })
			.catch(async (failure: unknown) => {
				await app.kill('SIGTERM');
				remove();
				throw failure;
			});
	}
	const watch = watchKeys(app, env, traffic);
	let searched: readonly string[] | null = null;

	function log(): string {
		try {
			return readFileSync(join(app.userData, 'logs', 'dragoman.log'), 'utf8');
		} catch {
			return '';
		}
	}

	async function end(how: () => Promise<number>): Promise<number> {
		if (searched === null) await watch.look();
		const status = await how();
		if (searched !== null) return status;
		searched = watch.found();
		// What the window caught while it was drawn is no error of the page.
		thrown.push(
			...log()
				.split('\n')
				.filter((line) => line.includes('the window failed')),
		);
		remove();
		if (searched.length > 0) throw new Error(`a secret was found in: ${searched.join(', ')}`);
		if (thrown.length > 0) throw new Error(`the page threw: ${thrown.join('\n')}`);
		return status;
	}

	return {
		...app,
		close: () => end(app.close),
		kill: (signal) => end(() => app.kill(signal)),
		log,
	};
}

/** For `test.skipIf`: true, and reported as not run, when a test needs the real shell and there is none. */
export function needsElectron(what: string): boolean {
	return e2eHost !== 'electron' && notRun(what, "needs Electron's own shell, and its binary is not here");
}
