import { app } from 'electron';
import type { Logger } from '#shared/lib/log.ts';

export interface AppEvents {
	/** The window is wanted: the app's icon in the dock was clicked. */
	focus(): void;
	/** The person started the app while it runs. */
	startedAgain(): void;
	/** The person quits, or the system does. */
	quitAsked(): void;
	/** The last window is gone. */
	closed(): void;
}

/** What happens to the program as a whole. We do the quitting ourselves, because sessions end first. */
export function watchApp({ focus, startedAgain, quitAsked, closed }: AppEvents): void {
	app.on('before-quit', (event) => {
		event.preventDefault();
		quitAsked();
	});
	app.on('activate', focus);
	app.on('window-all-closed', closed);
	app.on('second-instance', startedAgain);
}

/** Logs options and variables with an unusable value, by name only: the value may be a secret. */
export function tellRefused(names: readonly string[], log: Logger): void {
	for (const name of names) {
		log.warn('not usable', { name });
		process.stderr.write(`The value of ${name} cannot be used; see --help.\n`);
	}
}
