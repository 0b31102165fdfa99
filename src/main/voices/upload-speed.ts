import type { Clock } from '#shared/lib/clock.ts';

export interface UploadProgress {
	readonly sentBytes: number;
	readonly totalBytes: number;
	readonly bytesPerS: number;
	readonly secondsLeft: number | null;
}

/** The speed is that of the last few seconds: a connection that has become slow shows at once. */
const WINDOW_MS = 4000;
/** Before this the first bytes, which only fill buffers, would promise too much. */
const EARLIEST_MS = 1000;

/** Follows one upload; each new try begins at 0 bytes. */
export function createProgress(totalBytes: number, clock: Clock): (sentBytes: number) => UploadProgress {
	let marks: { readonly at: number; readonly sent: number }[] = [];
	return (sentBytes) => {
		const at = clock.now();
		if (sentBytes === 0) marks = [];
		marks = [...marks.filter((mark) => at - mark.at <= WINDOW_MS), { at, sent: sentBytes }];
		const first = marks[0] ?? { at, sent: 0 };
		const elapsedMs = at - first.at;
		if (elapsedMs < EARLIEST_MS) return { sentBytes, totalBytes, bytesPerS: 0, secondsLeft: null };
		const bytesPerS = Math.round(((sentBytes - first.sent) / elapsedMs) * 1000);
		const left = bytesPerS > 0 ? Math.ceil((totalBytes - sentBytes) / bytesPerS) : null;
		return { sentBytes, totalBytes, bytesPerS, secondsLeft: left };
	};
}
