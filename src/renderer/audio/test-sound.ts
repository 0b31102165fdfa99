import { chime } from '#shared/audio/chime.ts';
import { encodeWav } from '#shared/audio/wav.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { OutputDevice } from './output.ts';
import { playWav } from './play-wav.ts';

/** Longer than the chime by far. */
const LIMIT_MS = 5000;

/** Plays a chime on an output (`null` = the system default), as `playWav` does. */
export function playTestSound(
	parts: { readonly clock: Clock },
	output: OutputDevice | null,
	volume = 1,
): Promise<Result<void, Problem>> {
	const { samples, rateHz } = chime();
	return playWav(parts, encodeWav(samples, rateHz), { output, volume, limitMs: LIMIT_MS });
}
