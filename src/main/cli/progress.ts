import type { Terminal } from './context.ts';

/** How far a command is, on standard error: a bar where it can be written over, else a line now and then. */
export interface Progress {
	/** `totalMs` null = nobody knows. */
	at(doneMs: number, totalMs: number | null): void;
	/** Takes the bar away, so that something else can be written. */
	clear(): void;
}

const WIDTH = 30;
const BAR_EVERY_MS = 200;
const LINE_EVERY_MS = 10_000;

export function createProgress(terminal: Terminal, what: string): Progress {
	const isBar = terminal.isErrorTerminal === true;
	let lastMs = Number.NEGATIVE_INFINITY;
	let isShown = false;

	return {
		at(doneMs, totalMs) {
			const stepMs = isBar ? BAR_EVERY_MS : LINE_EVERY_MS;
			if (doneMs - lastMs < stepMs && !(isBar && doneMs === totalMs)) return;
			if (!isBar && !Number.isFinite(lastMs)) {
				lastMs = doneMs;
				return;
			}
			lastMs = doneMs;
			const text = `${what} ${describe(doneMs, totalMs, isBar)}`;
			terminal.error(isBar ? `\r\u001b[K${text}` : `${text}\n`);
			isShown = isBar;
		},
		clear() {
			if (isShown) terminal.error('\r\u001b[K');
			isShown = false;
		},
	};
}

function describe(doneMs: number, totalMs: number | null, isBar: boolean): string {
	if (totalMs === null || totalMs <= 0) return minutes(doneMs);
	const share = Math.min(1, doneMs / totalMs);
	const full = Math.round(share * WIDTH);
	const bar = isBar ? `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ` : '';
	return `${bar}${Math.floor(share * 100)} % (${minutes(doneMs)} of ${minutes(totalMs)})`;
}

function minutes(ms: number): string {
	const seconds = Math.floor(ms / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
