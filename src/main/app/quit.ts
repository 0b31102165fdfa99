import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';

/** The window switches the microphone off and leaves the room; a stuck one is not waited for. */
const WINDOW_LIMIT_MS = 2000;
/** Deleting sessions; what is not deleted by then stays in the ledger for the next start. */
const SESSIONS_LIMIT_MS = 5000;
const REST_LIMIT_MS = 2000;

export interface QuitParts {
	readonly clock: Clock;
	readonly log: Logger;
	/** Tells the window; false when there is none to tell. */
	announce(reason: 'window' | 'quit'): boolean;
	/** Ends every session; resolves at the latest after `deadlineMs`. */
	closeSessions(deadlineMs: number): Promise<void>;
	/** Everything else that must be ended: the sandbox, the ledger. */
	closeRest(): Promise<void>;
	exit(code: number): void;
}

export interface Quit {
	/** The one way out; asking again changes nothing. Resolves before `exit` is called. */
	begin(reason: 'window' | 'quit', code?: number): Promise<void>;
	closeReady(): void;
	readonly begun: boolean;
}

/**
 * Sessions cost money: their deletion is sent at once, beside the window's farewell and not after it,
 * and whatever hangs, the program ends.
 */
export function createQuit(parts: QuitParts): Quit {
	let ready: () => void = () => {};
	const closeReady = new Promise<void>((done) => {
		ready = done;
	});
	let quitting: Promise<void> | null = null;

	function within(limitMs: number, work: Promise<unknown>, what: string): Promise<void> {
		return new Promise((done) => {
			const cancel = parts.clock.after(limitMs, () => {
				parts.log.warn('quit: not waited for', { what });
				done();
			});
			const settle = () => {
				cancel();
				done();
			};
			work.then(settle, settle);
		});
	}

	async function run(reason: 'window' | 'quit', code: number): Promise<void> {
		parts.log.info('quitting', { reason });
		const told = parts.announce(reason);
		const sessions = within(SESSIONS_LIMIT_MS + 500, parts.closeSessions(SESSIONS_LIMIT_MS), 'sessions');
		if (told) await within(WINDOW_LIMIT_MS, closeReady, 'window');
		await sessions;
		await within(REST_LIMIT_MS, parts.closeRest(), 'rest');
		parts.exit(code);
	}

	return {
		begin(reason, code = 0) {
			quitting ??= run(reason, code);
			return quitting;
		},
		closeReady: () => ready(),
		get begun() {
			return quitting !== null;
		},
	};
}
