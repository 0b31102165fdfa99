import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFolderNow } from '#main/lib/files.ts';
import { ownFolder, programFile } from '#main/lib/own-program.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { EXIT } from '#shared/exit-status.ts';
import type { Environment } from '#shared/lib/environment.ts';
import { sessionsOf } from './drive.ts';
import type { DemoOptions } from './options.ts';
import { localService } from './service.ts';

/** Settings with which a conversation in these languages begins. */
export function languageSettings({ from, to }: DemoOptions): Readonly<Record<string, unknown>> {
	return { speak: from, hear: [...to], voiceOf: to[0] ?? 'es' };
}

/**
 * The window's data folder: the one that `--user-data-dir` or `DRAGOMAN_USER_DATA` names, otherwise a
 * separate one (`isOwn`) that leaves the user's settings, history and ledger unchanged. Created if missing.
 */
export function dataFolder(
	options: DemoOptions,
	env: Environment,
): { readonly folder: string; readonly isOwn: boolean } {
	const named = options.userData ?? env.DRAGOMAN_USER_DATA;
	const folder = named ? resolve(named) : mkdtempSync(join(tmpdir(), 'dragoman-demo-'));
	if (named) makeFolderNow(folder, { mode: 0o700 });
	return { folder, isOwn: !named };
}

/** The data folder for an open window. Adds the languages of the command line to the settings already there. */
export function windowData(options: DemoOptions, env: Environment): ReturnType<typeof dataFolder> {
	const data = dataFolder(options, env);
	if (options.namesLanguages)
		openSettingsFile(data.folder, createSystemClock()).write(languageSettings(options));
	return data;
}

/** Opens the unmodified app with the sandbox or the named service. Resolves with the exit status. */
export async function openWindow(
	options: DemoOptions,
	env: Environment,
	say: (text: string) => void,
): Promise<number> {
	const isNamed = !options.local && !!(env.DRAGOMAN_API_URL || env.DRAGOMAN_API_KEY);
	const local = isNamed ? null : localService(options, env);
	if (local && 'status' in local) {
		say(local.words);
		return local.status;
	}
	const service = isNamed || local ? [] : ['--service', 'sandbox'];
	const { folder: userData, isOwn } = windowData(options, env);
	const child = spawn(process.execPath, [programFile('src/stand-in/start.ts', 'start'), ...service], {
		stdio: 'inherit',
		cwd: ownFolder,
		env: { ...env, ...local?.env, DRAGOMAN_USER_DATA: userData },
	});
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
	const status = await new Promise<number>((done) => {
		child.once('error', () => done(EXIT.failed));
		child.once('exit', (code) => done(code ?? EXIT.interrupted));
	});
	if (!isOwn) return status;
	const { created, deleted } = sessionsOf(userData);
	if (created === deleted) rmSync(userData, { recursive: true, force: true, maxRetries: 3 });
	else say(`A session may be left open; its ledger is in ${userData}.`);
	return status;
}
