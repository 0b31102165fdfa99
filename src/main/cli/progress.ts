import type { UploadProgress } from '#main/voices/upload-speed.ts';
import type { Output } from './output.ts';

/** How far a command has come, on standard error: a bar where it can be overwritten, else a line now and then. */
export interface Progress {
	/** `totalMs` null = nobody knows. */
	at(doneMs: number, totalMs: number | null): void;
}

const WIDTH = 30;
const BAR_EVERY_MS = 200;
const LINE_EVERY_MS = 10_000;

type StatusLine = Pick<Output, 'isTerminal' | 'note' | 'status'>;

export function createProgress(output: StatusLine, what: string): Progress {
	const isBar = output.isTerminal;
	let lastMs = Number.NEGATIVE_INFINITY;

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
			if (isBar) output.status(text);
			else output.note(text);
		},
	};
}

function describe(doneMs: number, totalMs: number | null, isBar: boolean): string {
	if (totalMs === null || totalMs <= 0) return minutes(doneMs);
	const share = Math.min(1, doneMs / totalMs);
	return `${isBar ? `${bar(share)} ` : ''}${Math.floor(share * 100)} % (${minutes(doneMs)} of ${minutes(totalMs)})`;
}

function minutes(ms: number): string {
	const seconds = Math.floor(ms / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** How far a file has come; `what` says which way. A bar, or a line for each quarter. */
export function createTransferProgress(
	output: StatusLine,
	what: string,
): { show(progress: UploadProgress): void } {
	let quarters = 0;

	return {
		show(progress) {
			const share = progress.totalBytes > 0 ? progress.sentBytes / progress.totalBytes : 0;
			const facts = `${Math.floor(share * 100)} % (${transferFacts(progress)})`;
			if (output.isTerminal) {
				output.status(`${what} ${bar(share)} ${facts}`);
				return;
			}
			const now = Math.floor(share * 4);
			// A new try begins at 0.
			if (now < quarters) quarters = now;
			if (now === quarters) return;
			quarters = now;
			output.note(`${what} ${facts}`);
		},
	};
}

function transferFacts({ sentBytes, totalBytes, bytesPerS, secondsLeft }: UploadProgress): string {
	const facts = [`${megabytes(sentBytes)} of ${megabytes(totalBytes)} MB`];
	if (bytesPerS > 0) facts.push(`${megabytes(bytesPerS)} MB/s`);
	if (secondsLeft !== null) facts.push(`${secondsLeft} s left`);
	return facts.join(', ');
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);

function bar(share: number): string {
	const full = Math.round(share * WIDTH);
	return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}]`;
}
