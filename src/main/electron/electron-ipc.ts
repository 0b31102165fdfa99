import { BrowserWindow, type IpcMainInvokeEvent, ipcMain } from 'electron';
import { APP_ORIGIN } from '#main/app/guards.ts';
import type { Announcement, AnnouncementName } from '#shared/host/contract.ts';
import { ASK, TELL } from '#shared/host/names.ts';
import { overlayMayAsk } from '#shared/host/overlay.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import { longSecrets, redactKnown } from '#shared/lib/log.ts';
import { isOverlay } from './captions-window.ts';

export interface IpcPort {
	/** `answer` must never reject. The returned function removes it. */
	serve(answer: (name: string, input: unknown) => Promise<unknown>): Cancel;
	/** Sends to the window; the captions overlays have announcements of their own (`main/overlay`). */
	announce<Name extends AnnouncementName>(name: Name, payload: Announcement<Name>): void;
}

/** True for our own page in the top frame of one of our windows; anything else gets no answer. */
function isTrusted(event: IpcMainInvokeEvent): boolean {
	const frame = event.senderFrame;
	if (!frame || frame.parent !== null) return false;
	if (!frame.url.startsWith(`${APP_ORIGIN}/`)) return false;
	return BrowserWindow.fromWebContents(event.sender) !== null;
}

/** The captions overlays may only make requests of their own. */
function mayAsk(event: IpcMainInvokeEvent, name: string): boolean {
	return !isOverlay(event.sender) || overlayMayAsk.includes(name);
}

/** Removes `secrets` from every announcement. */
export function createElectronIpc(secrets: () => readonly string[]): IpcPort {
	return {
		serve(answer) {
			ipcMain.handle(ASK, (event, name: unknown, input: unknown) => {
				if (!isTrusted(event) || typeof name !== 'string' || !mayAsk(event, name))
					throw new Error('not allowed');
				return answer(name, input);
			});
			return () => ipcMain.removeHandler(ASK);
		},
		announce(name, payload) {
			const clean = redactKnown(payload, longSecrets(secrets()));
			for (const window of BrowserWindow.getAllWindows()) {
				if (!window.isDestroyed() && !isOverlay(window.webContents))
					window.webContents.send(TELL, name, clean);
			}
		},
	};
}
