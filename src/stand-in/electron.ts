import type * as Electron from 'electron';
import { app } from './app.ts';
import { BrowserWindow } from './browser-window.ts';
import { ipcMain } from './ipc.ts';
import { MessageChannelMain } from './message-ports.ts';
import { screen } from './screen.ts';
import { protocol, session } from './session.ts';
import {
	dialog,
	globalShortcut,
	Menu,
	Notification,
	nativeImage,
	powerMonitor,
	powerSaveBlocker,
	safeStorage,
	shell,
	systemPreferences,
	Tray,
	utilityProcess,
} from './shell-parts.ts';

const parts = {
	app,
	BrowserWindow,
	dialog,
	globalShortcut,
	ipcMain,
	Menu,
	nativeImage,
	Notification,
	MessageChannelMain,
	powerMonitor,
	powerSaveBlocker,
	protocol,
	safeStorage,
	screen,
	session,
	shell,
	systemPreferences,
	Tray,
	utilityProcess,
};
type Parts = typeof parts;

/** Names and members that the real Electron does not have; must be empty: the stand-in may lack much, but invents nothing. */
type Invented =
	| Exclude<keyof Parts, keyof typeof Electron>
	| {
			[Name in keyof Parts & keyof typeof Electron]: Exclude<
				keyof Parts[Name],
				keyof (typeof Electron)[Name]
			>;
	  }[keyof Parts & keyof typeof Electron];
parts satisfies [Invented] extends [never] ? object : Invented;

/*
 * What the built main process may import from `electron` when there is none: the same names, driving
 * a Chromium. Everything else throws "not in the stand-in: …".
 */
export {
	app,
	BrowserWindow,
	dialog,
	globalShortcut,
	ipcMain,
	Menu,
	MessageChannelMain,
	Notification,
	nativeImage,
	powerMonitor,
	powerSaveBlocker,
	protocol,
	safeStorage,
	screen,
	session,
	shell,
	systemPreferences,
	Tray,
	utilityProcess,
};
