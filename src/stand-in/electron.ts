import type * as Electron from 'electron';
import { app } from './app.ts';
import { BrowserWindow } from './browser-window.ts';
import { ipcMain } from './ipc.ts';
import { protocol, session } from './session.ts';
import {
	dialog,
	Menu,
	net,
	powerMonitor,
	powerSaveBlocker,
	safeStorage,
	shell,
	systemPreferences,
	utilityProcess,
} from './shell-parts.ts';

/**
 * What the built main process may import from `electron` when there is none: the same names, driving
 * a Chromium. Everything else throws "not in the stand-in: …".
 */
const standIn = {
	app,
	BrowserWindow,
	dialog,
	ipcMain,
	Menu,
	net,
	powerMonitor,
	powerSaveBlocker,
	protocol,
	safeStorage,
	session,
	shell,
	systemPreferences,
	utilityProcess,
} satisfies { readonly [Name in keyof typeof Electron]?: unknown };

export type StandInName = keyof typeof standIn;
export const standInNames = Object.keys(standIn);

export {
	app,
	BrowserWindow,
	dialog,
	ipcMain,
	Menu,
	net,
	powerMonitor,
	powerSaveBlocker,
	protocol,
	safeStorage,
	session,
	shell,
	systemPreferences,
	utilityProcess,
};
