/** Loudness of a stretch of sound, dB relative to full scale (0 = maximum), limited to `FLOOR_DB` and above. */
export interface Level {
	readonly peakDb: number;
	readonly rmsDb: number;
}

/** Digital silence; no lower level is reported. */
export const FLOOR_DB = -100;
export const silence: Level = { peakDb: FLOOR_DB, rmsDb: FLOOR_DB };

/** Combines several stretches of equal length: the highest peak, the mean loudness. */
export function meanLevel(levels: readonly Level[]): Level {
	const energy = levels.reduce((sum, { rmsDb }) => sum + 10 ** (rmsDb / 10), 0);
	return {
		peakDb: Math.max(FLOOR_DB, ...levels.map(({ peakDb }) => peakDb)),
		rmsDb: toDb(Math.sqrt(energy / Math.max(1, levels.length))),
	};
}

/** Amplitude 0..1 to dBFS, between `FLOOR_DB` and 0. */
export function toDb(amplitude: number): number {
	// This form of the condition also turns NaN into the floor.
	if (!(amplitude > 0)) return FLOOR_DB;
	return Math.min(0, Math.max(FLOOR_DB, 20 * Math.log10(amplitude)));
}

/** Peak and RMS of samples in [-1, 1]; an empty list counts as silence. */
export function measureLevel(samples: ArrayLike<number>): Level {
	let peak = 0;
	let energy = 0;
	for (let index = 0; index < samples.length; index += 1) {
		const sample = samples[index] ?? 0;
		const size = Math.abs(sample);
		if (size > peak) peak = size;
		energy += sample * sample;
	}
	return { peakDb: toDb(peak), rmsDb: toDb(Math.sqrt(energy / Math.max(1, samples.length))) };
}
