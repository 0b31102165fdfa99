import { type BrowserWindow, shell } from 'electron';
import type { Words } from '#main/app/words.ts';
import type { Logger } from '#shared/lib/log.ts';
import { askToOpen } from './dialogs.ts';

export type BrowserOpener = ReturnType<typeof createBrowserOpener>;

/** Opens pages in the person's browser, each after they have agreed to its address (faults 126). */
export function createBrowserOpener({
	window,
	words,
	log,
}: {
	readonly window: () => BrowserWindow | null;
	readonly words: () => Words['outside'];
	readonly log: Logger;
}) {
	let isAsking = false;

	return {
		/** Opens one of our addresses; true if the browser did. Ignored while another question is open. */
		async open(address: string): Promise<boolean> {
			if (isAsking) return false;
			isAsking = true;
			try {
				if (!(await askToOpen(window(), address, words()))) return false;
				await shell.openExternal(address);
				return true;
			} catch {
				log.warn('page not opened outside', { host: URL.parse(address)?.hostname });
				return false;
			} finally {
				isAsking = false;
			}
		},
	};
}
