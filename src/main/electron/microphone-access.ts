import { shell, systemPreferences } from 'electron';
import type { AppInfo } from '#shared/host/contract.ts';

type Pages = Readonly<Record<string, string>>;

/** Where each system keeps its microphone switch; Linux has no such page. */
const microphonePages: Pages = {
	darwin: 'x-apple.systempreferences:com.apple.preference.security?Privacy_Microphone',
	win32: 'ms-settings:privacy-microphone',
};

/** Capturing the computer's sound needs permission only on macOS ("Screen & System Audio Recording"). */
const soundPages: Pages = {
	darwin: 'x-apple.systempreferences:com.apple.preference.security?Privacy_ScreenCapture',
};

export function microphoneAccess(): AppInfo['microphone'] {
	if (process.platform !== 'darwin' && process.platform !== 'win32') return 'unknown';
	const status = systemPreferences.getMediaAccessStatus('microphone');
	if (status === 'granted') return 'granted';
	return status === 'denied' || status === 'restricted' ? 'denied' : 'unknown';
}

/** Makes macOS ask the user, once. Do not wait for the answer: `microphoneAccess` reads it. */
export function askForMicrophone(): void {
	if (process.platform !== 'darwin') return;
	// Ignore a refusal or failure here: opening the microphone reports it later.
	systemPreferences.askForMediaAccess('microphone').catch(() => {});
}

export const openMicrophonePrivacy = (): Promise<boolean> => open(microphonePages);
export const openSoundPrivacy = (): Promise<boolean> => open(soundPages);

async function open(pages: Pages): Promise<boolean> {
	const page = pages[process.platform];
	if (!page) return false;
	await shell.openExternal(page);
	return true;
}
