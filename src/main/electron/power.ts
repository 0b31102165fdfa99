import { powerMonitor, powerSaveBlocker } from 'electron';
import type { Announcement, PhaseReport } from '#shared/host/contract.ts';

type PowerEvent = Announcement<'power.changed'>['event'];

/** Calls back when the computer sleeps, wakes, is locked or unlocked. */
export function watchPower(heard: (event: PowerEvent) => void): void {
	powerMonitor.on('suspend', () => heard('suspend'));
	powerMonitor.on('resume', () => heard('resume'));
	powerMonitor.on('lock-screen', () => heard('lock'));
	powerMonitor.on('unlock-screen', () => heard('unlock'));
}

/**
 * Calls back when the computer shuts down (macOS, Linux; for Windows see `windows.ts`). It waits for us: end now.
 */
export function watchShutdown(heard: () => void): void {
	const shutDown = (event?: { preventDefault(): void }) => {
		// Without this, Linux continues at once, and may close the display before the sessions are deleted.
		event?.preventDefault();
		heard();
	};
	// Electron passes an event, which its types leave out.
	powerMonitor.on('shutdown', shutDown as () => void);
}

const AWAKE: ReadonlySet<PhaseReport> = new Set(['starting', 'live', 'recovering', 'ending']);

/** Keeps the computer from sleeping while a conversation is live, and only then. */
export function createWakeLock(): (phase: PhaseReport) => void {
	let held: number | null = null;
	return (phase) => {
		if (AWAKE.has(phase)) held ??= powerSaveBlocker.start('prevent-app-suspension');
		else if (held !== null) {
			powerSaveBlocker.stop(held);
			held = null;
		}
	};
}

/** Keeps the display on while people read from it without touching anything. */
export function createDisplayLock(): (on: boolean) => void {
	let held: number | null = null;
	return (on) => {
		if (on) held ??= powerSaveBlocker.start('prevent-display-sleep');
		else if (held !== null) {
			powerSaveBlocker.stop(held);
			held = null;
		}
	};
}
