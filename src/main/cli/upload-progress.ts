import type { UploadProgress } from '#main/voices/timing.ts';
import type { Terminal } from './context.ts';

/** How far an upload is, on standard error: a line written over on a terminal, else one for each quarter. */
export interface UploadLine {
	show(progress: UploadProgress): void;
	/** Takes the line away, so that something else can be written. */
	clear(): void;
}

const WIDTH = 30;

export function createUploadLine(terminal: Terminal): UploadLine {
	const isBar = terminal.isErrorTerminal === true;
	let isShown = false;
	let quarters = 0;

	return {
		show(progress) {
			const share = progress.totalBytes > 0 ? progress.sentBytes / progress.totalBytes : 0;
			if (isBar) {
				const full = Math.round(share * WIDTH);
				terminal.error(
					`\r\u001b[KSending [${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${describe(progress, share)}`,
				);
				isShown = true;
				return;
			}
			const now = Math.floor(share * 4);
			// A try that begins anew begins at 0.
			if (now < quarters) quarters = now;
			if (now === quarters) return;
			quarters = now;
			terminal.error(`Sending ${describe(progress, share)}\n`);
		},
		clear() {
			if (isShown) terminal.error('\r\u001b[K');
			isShown = false;
		},
	};
}

function describe({ sentBytes, totalBytes, bytesPerS, secondsLeft }: UploadProgress, share: number): string {
	const facts = [`${megabytes(sentBytes)} of ${megabytes(totalBytes)} MB`];
	if (bytesPerS > 0) facts.push(`${megabytes(bytesPerS)} MB/s`);
	if (secondsLeft !== null) facts.push(`${secondsLeft} s left`);
	return `${Math.floor(share * 100)} % (${facts.join(', ')})`;
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);
