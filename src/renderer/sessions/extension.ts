/** By how much a session can be extended, seconds; `other` is asked for in minutes. */
export const extensions = { '10min': 600, '30min': 1800, '1h': 3600 } as const;
export type ExtensionChoice = keyof typeof extensions | 'other';

/** The contract's longest. */
const LONGEST_S = 31 * 86_400;
export const MOST_MINUTES = 24 * 60;

/**
 * The service counts from now; a person means "this much longer". So the remaining time is added: otherwise "ten
 * minutes more" would shorten a session with an hour to go. `leftMs`: null = not known, then counted from now.
 */
export function timeToLiveS(leftMs: number | null, extensionS: number): number {
	const leftS = Math.max(0, Math.ceil((leftMs ?? 0) / 1000));
	return Math.min(leftS + extensionS, LONGEST_S);
}
