import type { Cancel } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { SinkInput } from './sink-inputs.ts';

/** The part of the sound server needed to listen to other programs. */
export interface SoundRecorder {
	/** Streams of other programs; never our own. */
	streams(): Promise<Result<readonly SinkInput[], Problem>>;
	/** Each channel's, 65536 = 100 %, as `SinkInput.volume` has them. */
	setVolume(index: number, volume: readonly number[]): Promise<Result<void, Problem>>;
	/** `changed`: streams came, went or changed. `ended`: nothing more is reported. The result ends it. */
	watch(changed: () => void, ended: () => void): Cancel;
	/**
	 * One stream alone, without moving it: mono 16 bit at `rateHz`, in pieces as they come, each an array of
	 * its own. `ended` is called once, unless we end it; with a problem when nothing can be recorded here at all.
	 * The result ends it.
	 */
	record(
		index: number,
		rateHz: number,
		heard: (samples: Int16Array) => void,
		ended: (problem: Problem | null) => void,
	): Cancel;
}
