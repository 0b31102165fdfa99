import type { Clock } from '#shared/lib/clock.ts';

/** When the service is asked about a voice again (protocol 7.2: 2 s, backing off to 30 s; after 15 min "check later"). */
const FIRST_MS = 2000;
const GROWTH = 1.5;
const LONGEST_MS = 30_000;
export const LONG_MS = 15 * 60_000;
/** Later on, while the program runs; a day after the upload we ask no more by ourselves. */
const LATER_MS = 5 * 60_000;
const GIVE_UP_MS = 24 * 3_600_000;

/**
 * Ms until question number `asked` (0 = the first), `sinceSentMs` after the upload; null = no more.
 * A fifth of jitter either way, so that many do not ask at once.
 */
export function nextQuestionMs(asked: number, sinceSentMs: number, random: () => number): number | null {
	if (sinceSentMs >= GIVE_UP_MS) return null;
	const plain = sinceSentMs >= LONG_MS ? LATER_MS : Math.min(LONGEST_MS, FIRST_MS * GROWTH ** asked);
	return Math.round(plain * (0.8 + 0.4 * random()));
}

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
