import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import {
	claimFolder,
	type FolderRefusal,
	homeFolder,
	makeFolderNow,
	userDataFolder,
	userDataSource,
} from '#main/lib/files.ts';

export interface Folders {
	readonly userData: string;
	/** The option or variable that names the folder; empty = the system's. */
	readonly source: string;
	readonly logs: string;
	/** Why the folder cannot be used; null = it can. */
	readonly refusal: FolderRefusal | null;
}

/** Creates the folder, or returns why it is unusable: sessions could not be noted, and no browser could run. */
function unwritable(folder: string): FolderRefusal | null {
	try {
		makeFolderNow(folder, { mode: 0o700 });
		accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
		return null;
	} catch {
		return 'unwritable';
	}
}

/** Sets Electron's folders; Chromium's own files stay apart from the user's. */
export function chooseFolders(option: string | undefined): Folders {
	const userData = userDataFolder(
		{ platform: process.platform, home: homeFolder(), env: process.env },
		option,
	);
	const refusal = claimFolder(userData) ?? unwritable(userData);
	const source = userDataSource(process.env, option);
	const folders = { userData, source, logs: join(userData, 'logs'), refusal };
	app.setName('Dragoman');
	// Return early, so that Electron does not write there either.
	if (refusal !== null) return folders;
	app.setPath('userData', userData);
	app.setPath('sessionData', join(userData, 'browser'));
	app.setPath('logs', folders.logs);
	return folders;
}
