import type { WebPreferences } from 'electron';

/**
 * What every page of ours is given, and no more. Electron's defaults that confine a page are repeated here, so that
 * another default of a later version changes nothing.
 */
export function pagePreferences(preload: string): WebPreferences {
	return {
		preload,
		contextIsolation: true,
		sandbox: true,
		nodeIntegration: false,
		nodeIntegrationInWorker: false,
		nodeIntegrationInSubFrames: false,
		webSecurity: true,
		allowRunningInsecureContent: false,
		experimentalFeatures: false,
		webviewTag: false,
		navigateOnDragDrop: false,
		// A conversation goes on while other windows are in front.
		backgroundThrottling: false,
		spellcheck: false,
	};
}
