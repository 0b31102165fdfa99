import type { PhaseReport } from '#shared/host/contract.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** Closing the window, or quitting, while a conversation runs. */
export interface Closing {
	/** The person closes the window. */
	window(): void;
	/** The person quits. */
	quit(): void;
	phase(phase: PhaseReport): void;
	/** The system shuts down: nobody is asked any more. */
	systemEnds(): void;
}

export type CloseAnswer = 'stop' | 'keep' | 'cancel';

export interface CloseQuestion {
	readonly what: 'window' | 'quit';
	/** Whether it can go on without its window. */
	readonly canKeep: boolean;
}

const LIVE: ReadonlySet<PhaseReport> = new Set(['starting', 'live', 'paused', 'recovering']);

/** Asks before a running conversation is lost; otherwise closes at once. */
export function createClosing(parts: {
	readonly choice: () => Settings['closeLive'];
	readonly remember: (choice: Settings['closeLive']) => void;
	/** There is an icon in the system's bar to come back by. */
	readonly hasTray: () => boolean;
	/** Resolves with what the person chose, and whether to do so from now on. */
	readonly ask: (question: CloseQuestion) => Promise<{ answer: CloseAnswer; always: boolean }>;
	readonly hide: () => void;
	/** Ends the program. */
	readonly end: (reason: 'window' | 'quit') => void;
}): Closing {
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
		// Somebody who quits does not want to keep it running.
		else if (choice === 'keep' && what === 'window' && parts.hasTray()) take(what, 'keep');
		// Without an answer, nothing is closed.
		else question(what).catch(() => {});
	}

	return {
		window: () => close('window'),
		quit: () => close('quit'),
		phase(next) {
			phase = next;
		},
		systemEnds() {
			systemEnds = true;
		},
	};
}
