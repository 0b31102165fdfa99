import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { PhaseReport } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Settings } from '#shared/settings/schema.ts';

export type CloseAnswer = 'stop' | 'keep' | 'cancel';

export interface CloseQuestion {
	readonly what: 'window' | 'quit';
	/** True if the conversation can continue without its window. */
	readonly canKeep: boolean;
}

const LIVE: ReadonlySet<PhaseReport> = new Set(['starting', 'live', 'paused', 'recovering']);

/**
 * Handles requests to close the window or to quit: asks if a conversation runs, else closes at once.
 */
export function createClosing(parts: {
	readonly choice: () => Settings['closeLive'];
	readonly remember: (choice: Settings['closeLive']) => void;
	/** True if a tray icon can bring the window back. */
	readonly hasTray: () => boolean;
	/** Resolves with the person's choice, and whether to repeat it from now on. */
	readonly ask: (question: CloseQuestion) => Promise<{ answer: CloseAnswer; always: boolean }>;
	readonly hide: () => void;
	readonly end: (reason: 'window' | 'quit') => void;
}) {
	let phase: PhaseReport = 'idle';
	let asking = false;
	let systemEnds = false;

	async function question(what: 'window' | 'quit'): Promise<void> {
		if (asking) return;
		asking = true;
		const canKeep = what === 'window' && parts.hasTray();
		const { answer, always } = await parts.ask({ what, canKeep }).finally(() => {
			asking = false;
		});
		if (always && answer !== 'cancel') parts.remember(answer);
		take(what, answer);
	}

	function take(what: 'window' | 'quit', answer: CloseAnswer): void {
		if (answer === 'keep') parts.hide();
		if (answer === 'stop') {
			parts.hide();
			parts.end(what);
		}
	}

	function close(what: 'window' | 'quit'): void {
		const choice = parts.choice();
		if (systemEnds || !LIVE.has(phase) || choice === 'stop') take(what, 'stop');
		// Quitting must not keep the conversation running.
		else if (choice === 'keep' && what === 'window' && parts.hasTray()) take(what, 'keep');
		// Without an answer, nothing is closed.
		else question(what).catch(() => {});
	}

	return {
		window: (): void => close('window'),
		quit: (): void => close('quit'),
		phase(next: PhaseReport): void {
			phase = next;
		},
		/** The system shuts down: quits without asking the user. */
		systemEnds(): void {
			systemEnds = true;
		},
	};
}

/** Time for the window to switch the microphone off and leave the room; a stuck window is not waited for. */
const WINDOW_LIMIT_MS = 2000;
/** Time for deleting sessions; the rest stay in the ledger for the next start. */
const SESSIONS_LIMIT_MS = 5000;
const REST_LIMIT_MS = 2000;

export interface QuitParts {
	readonly clock: Clock;
	readonly log: Logger;
	/** Tells the window; false if there is no window to tell. */
	announce(reason: 'window' | 'quit'): boolean;
	/** Ends every session; resolves after `deadlineMs` at the latest. */
	closeSessions(deadlineMs: number): Promise<void>;
	/** Ends everything else: the sandbox, the ledger. */
	closeRest(): Promise<void>;
	exit(code: number): void;
}

export type Quit = ReturnType<typeof createQuit>;

/** Sessions cost money: request their deletion at once. The program ends even if something hangs. */
export function createQuit(parts: QuitParts) {
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
		/** The only way to end the program; calling it again changes nothing. Resolves before `exit` is called. */
		begin(reason: 'window' | 'quit', code: number = 0): Promise<void> {
			quitting ??= run(reason, code);
			return quitting;
		},
		closeReady: (): void => ready(),
		get begun(): boolean {
			return quitting !== null;
		},
	};
}

interface EndingProcess {
	on(event: string, heard: (what: unknown) => void): unknown;
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 1 } as const;

/** Deletes the program's sessions before any exit. An unexpected error exits too, with status 1. */
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

/** Startup or cleanup may still be running until then, and the next conversation may begin at once. */
const REST_MS = 8000;

/** Frees the memory that V8 keeps for a busy program, once main has been idle for a while. */
export function createMemoryGiver(parts: {
	readonly clock: Clock;
	readonly log: Logger;
	/** Default: V8's own collection. */
	readonly collect?: () => void;
}) {
	const { clock, log, collect = collectAll } = parts;
	let cancel: Cancel = () => {};

	function giveBack(): void {
		try {
			collect();
		} catch (failure) {
			log.warn('memory is not given back', { failure: String(failure) });
		}
	}

	return {
		/** Takes the phase of the conversation; `idle` also shows that the window is usable. */
		phase(phase: PhaseReport): void {
			cancel();
			if (phase === 'idle' || phase === 'failed') cancel = clock.after(REST_MS, giveBack);
		},
		close: (): void => cancel(),
	};
}

/** An idle V8 collects no garbage: after the start main held 15 MB of it. Stops main for some 30 ms. */
function collectAll(): void {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as (options: object) => void;
	collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
