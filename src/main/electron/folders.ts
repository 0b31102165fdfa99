import { homedir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import { makeFolderNow } from '#main/lib/make-folder.ts';
import { claimFolder, type FolderRefusal } from '#main/lib/own-folder.ts';
import { userDataFolder, userDataSource } from '#main/settings/user-data.ts';

export interface Folders {
	readonly userData: string;
	/** The option or variable that says so; empty = the system's place. */
	readonly source: string;
	readonly logs: string;
	/** Why nothing may be kept there; null = all is well. */
	readonly refusal: FolderRefusal | null;
}

/** Tells Electron where things are; Chromium's own files stay apart from the user's. */
export function chooseFolders(option: string | undefined): Folders {
	const userData = userDataFolder({ platform: process.platform, home: homedir(), env: process.env }, option);
	const refusal = claimFolder(userData);
	const source = userDataSource(process.env, option);
	const folders = { userData, source, logs: join(userData, 'logs'), refusal };
	app.setName('Dragoman');
	// Then Electron, too, writes nothing there.
	if (refusal !== null) return folders;
	try {
		makeFolderNow(userData, { mode: 0o700 });
	} catch {
		// Reported later as a problem of the settings file; the app itself can run.
	}
	app.setPath('userData', userData);
	app.setPath('sessionData', join(userData, 'browser'));
	app.setPath('logs', folders.logs);
	return folders;
}
