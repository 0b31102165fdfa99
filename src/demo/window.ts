import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '#shared/exit-status.ts';
import type { Environment } from '#shared/lib/environment.ts';
import { sessionsOf } from './drive.ts';
import type { DemoOptions } from './options.ts';

const root = join(import.meta.dirname, '..', '..');

/** The settings a conversation in these languages begins with. */
export function languageSettings({ from, to }: DemoOptions): Readonly<Record<string, unknown>> {
	return { speak: from, hear: [...to], voiceOf: to[0] ?? 'es' };
}

/**
 * The app as it is, for a person, with the sandbox chosen unless a service is named. Languages named
 * on the command line are for this run: it then has a data folder of its own, so that the user's
 * settings stay as they are. `env`: as this program was started, for the app. Resolves with the exit status.
 */
export async function openWindow(
	options: DemoOptions,
	env: Environment,
	say: (text: string) => void,
): Promise<number> {
	const service = env.DRAGOMAN_API_URL || env.DRAGOMAN_API_KEY ? [] : ['--service', 'sandbox'];
	const userData = options.namesLanguages ? mkdtempSync(join(tmpdir(), 'dragoman-demo-')) : null;
	if (userData) writeFileSync(join(userData, 'settings.json'), JSON.stringify(languageSettings(options)));
	const child = spawn(process.execPath, [join(root, 'src', 'stand-in', 'start.ts'), ...service], {
		stdio: 'inherit',
		cwd: root,
		env: { ...env, ...(userData ? { DRAGOMAN_USER_DATA: userData } : {}) },
	});
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
	const status = await new Promise<number>((done) => {
		child.once('error', () => done(EXIT.failed));
		child.once('exit', (code) => done(code ?? EXIT.interrupted));
	});
	if (!userData) return status;
	const { created, deleted } = sessionsOf(userData);
	if (created === deleted) rmSync(userData, { recursive: true, force: true, maxRetries: 3 });
	else say(`A session may be left open; its ledger is in ${userData}.`);
	return status;
}
