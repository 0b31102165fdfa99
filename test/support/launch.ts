import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LaunchedApp, type LaunchOptions, launchApp } from '#stand-in/drive/launch-app.ts';
import { findElectron } from '#stand-in/find-electron.ts';
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

/** The built app with a window to drive. Close what you launch. */
export async function launch(options: Partial<LaunchOptions> = {}): Promise<Launched> {
	const app = await launchApp({ host: e2eHost, headless: true, ...options });
	return {
		...app,
		log() {
			try {
				return readFileSync(join(app.userData, 'logs', 'dragoman.log'), 'utf8');
			} catch {
				return '';
			}
		},
	};
}

/** For `test.skipIf`: true, and said, when a test needs the real shell and there is none. */
export function needsElectron(what: string): boolean {
	return e2eHost !== 'electron' && notRun(what, "needs Electron's own shell, and its binary is not here");
}
