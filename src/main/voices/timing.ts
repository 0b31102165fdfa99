/** When the service is asked about a voice again (protocol 7.2: 2 s, backing off to 30 s; after 15 min "check later"). */
const FIRST_MS = 2000;
const GROWTH = 1.5;
const LONGEST_MS = 30_000;
export const LONG_MS = 15 * 60_000;
/** Later on, while the program runs; a day after the upload we ask no more than once by ourselves. */
const LATER_MS = 5 * 60_000;
const GIVE_UP_MS = 24 * 3_600_000;

/**
 * Ms until question number `asked` (0 = the first), `sinceSentMs` after the upload; null = no more. The first is due
 * soon whatever the time: a program begins with it, and so does a person who tries again.
 * A fifth of jitter either way, so that many do not ask at once.
 */
export function nextQuestionMs(asked: number, sinceSentMs: number, random: () => number): number | null {
	if (asked > 0 && sinceSentMs >= GIVE_UP_MS) return null;
	const isLate = asked > 0 && sinceSentMs >= LONG_MS;
	const plain = isLate ? LATER_MS : Math.min(LONGEST_MS, FIRST_MS * GROWTH ** asked);
	return Math.round(plain * (0.8 + 0.4 * random()));
}
