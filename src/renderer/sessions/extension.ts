/** Choices for extending a session, seconds; `other` asks for a number of minutes. */
export const extensions = { '10min': 600, '30min': 1800, '1h': 3600 } as const;
export type ExtensionChoice = keyof typeof extensions | 'other';

/** The longest time to live that the service accepts, seconds. */
const LONGEST_S = 31 * 86_400;
export const MOST_MINUTES = 24 * 60;

/**
 * The service counts from now, but a user means "this much longer". So this adds the remaining time: otherwise
 * "ten minutes more" would shorten a session that has an hour left. `leftMs`: null = not known, so counted from
 * now.
 */
export function timeToLiveS(leftMs: number | null, extensionS: number): number {
	const leftS = Math.max(0, Math.ceil((leftMs ?? 0) / 1000));
	return Math.min(leftS + extensionS, LONGEST_S);
}
