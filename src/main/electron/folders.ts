import { homedir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import { makeFolderNow } from '#main/lib/make-folder.ts';
import { userDataFolder, userDataSource } from '#main/settings/user-data.ts';

export interface Folders {
	readonly userData: string;
	/** The option or variable that says so; empty = the system's place. */
	readonly source: string;
	readonly logs: string;
}

/** Tells Electron where things are; Chromium's own files stay apart from the user's. */
export function chooseFolders(option: string | undefined): Folders {
	const userData = userDataFolder({ platform: process.platform, home: homedir(), env: process.env }, option);
	const folders = { userData, source: userDataSource(process.env, option), logs: join(userData, 'logs') };
	try {
		makeFolderNow(userData, { mode: 0o700 });
	} catch {
		// Told as a problem of the settings file later; the app itself can run.
	}
	app.setName('Dragoman');
	app.setPath('userData', userData);
	app.setPath('sessionData', join(userData, 'browser'));
	app.setPath('logs', folders.logs);
	return folders;
}
