import type { OutputDevice } from '#renderer/sound/output.ts';
import { playWav } from '#renderer/sound/play-wav.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { s16ToFloat } from '#shared/sound/s16le.ts';
import { turnTone } from '#shared/sound/tones.ts';
import { encodeWav } from '#shared/sound/wav.ts';

const TAIL_S = 0.25;
/** Later than this it would fall into somebody's sentence. */
const LIMIT_MS = 2000;

/** "Your turn", played where the call hears me; a device that is gone plays nothing, and no other takes its place. */
export function playCallTone(clock: Clock, output: OutputDevice): Promise<Result<void, Problem>> {
	const { samples, rateHz } = turnTone();
	// Silence follows it, so that the device has played it before its stream is closed.
	const heard = new Float32Array(samples.length + TAIL_S * rateHz);
	s16ToFloat(samples, heard);
	return playWav({ clock }, encodeWav(heard, rateHz), { output, volume: 1, limitMs: LIMIT_MS });
}
