import type { Logger } from '#shared/lib/log.ts';
import type { Quit } from './quit.ts';

/** The part of a process used here. */
export interface EndingProcess {
	on(event: string, heard: (what: unknown) => void): unknown;
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 1 } as const;

/**
 * Whatever ends the program, its sessions are deleted first, within the limits of `quit`. After a
 * failure nobody foresaw nothing here can be trusted for long, so it ends too, with status 1.
 */
export function watchEnd(program: EndingProcess, quit: Pick<Quit, 'begin'>, log: Logger): void {
	for (const [signal, status] of Object.entries(SIGNALS)) {
		program.on(signal, () => void quit.begin('quit', status));
	}
	for (const event of ['uncaughtException', 'unhandledRejection']) {
		program.on(event, (failure) => {
			log.error('failure in main', { event, failure: words(failure) });
			void quit.begin('quit', 1);
		});
	}
}

function words(failure: unknown): string {
	return failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
}
