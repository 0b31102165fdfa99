import type { BrowserWindow } from 'electron';
import { createRecordings, type Recordings } from '#main/recording/recording.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { choosePlace } from './dialogs.ts';
import { createStreamPorts } from './stream-ports.ts';

/** Recordings of the window: to a file the user names, by ports into its page. */
export function createAppRecordings(parts: {
	readonly clock: Clock;
	readonly log: Logger;
	/** Null while there is none. */
	readonly window: () => BrowserWindow | null;
}): Recordings {
	return createRecordings({
		...parts,
		choosePlace: (name) => choosePlace(parts.window(), name),
		createPorts: (stream) => createStreamPorts(parts.window()?.webContents ?? null, stream),
	});
}
