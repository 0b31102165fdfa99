import { app } from 'electron';
import { variablesSet } from '#main/settings/sources.ts';
import type { AppInfo } from '#shared/host/contract.ts';
import type { Folders } from './folders.ts';
import { microphoneAccess } from './microphone-access.ts';

/** What runs, and where. */
export function appInfo(folders: Folders, env: NodeJS.ProcessEnv, safeMode: boolean): AppInfo {
	return {
		version: app.getVersion(),
		shell: process.versions.electron ? 'electron' : 'stand-in',
		platform: process.platform,
		locales: app.getPreferredSystemLanguages(),
		microphone: microphoneAccess(),
		userData: { folder: folders.userData, source: folders.source },
		variables: variablesSet(env),
		safeMode,
	};
}
