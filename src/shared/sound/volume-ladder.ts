/** How much quieter each rung is than the one above it. */
const RUNG_DB = 1.5;
/** 30 dB below: as good as silent beside a voice, and still enough to be recorded and made loud again. */
const RUNGS = 20;
/** Tolerance: a server converts to its own numbers and rounds. */
const ROUNDING = 24;

/** Gains of a volume that is turned down in steps, 1 first. */
export const LADDER: readonly number[] = Array.from(
	{ length: RUNGS + 1 },
	(_, rung) => 10 ** ((-RUNG_DB * rung) / 20),
);

/** The rung for a gain of 0 to 1: the next one at or below; below them all, the lowest. */
export function rungOf(gain: number): number {
	const rung = LADDER.findIndex((one) => one <= gain + 1e-9);
	return rung < 0 ? RUNGS : rung;
}

/** Volumes of PulseAudio (65536 = 100 %; the cube of it is the gain) on a rung below `full`. */
export function volumesAt(full: readonly number[], rung: number): number[] {
	const factor = Math.cbrt(LADDER[rung] ?? 1);
	return full.map((volume) => Math.round(volume * factor));
}

/** The rung below `full` at which these volumes stand; −1 = none: somebody else has set them. */
export function rungOfVolume(full: readonly number[], volume: readonly number[]): number {
	if (full.length !== volume.length) return -1;
	return LADDER.findIndex((_, rung) =>
		volumesAt(full, rung).every((one, channel) => Math.abs(one - (volume[channel] ?? 0)) <= ROUNDING),
	);
}
