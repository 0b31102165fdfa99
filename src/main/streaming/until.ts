import type { Clock } from '#shared/lib/clock.ts';
import { pause } from '#shared/lib/pause.ts';

/** How often `until` looks, ms. */
const LOOK_MS = 50;

/** Waits until it is so, at most `limitMs`; false when it never was, or when cancelled. */
export async function until(
	clock: Clock,
	isSo: () => boolean,
	limitMs: number,
	signal: AbortSignal,
): Promise<boolean> {
	const endMs = clock.now() + limitMs;
	while (!isSo()) if (clock.now() >= endMs || !(await pause(clock, LOOK_MS, signal))) return false;
	return true;
}
