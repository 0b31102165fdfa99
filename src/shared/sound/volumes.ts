/** Volumes of the translated voice and of the original, 0 to 1 each. */
export interface Volumes {
	readonly voice: number;
	readonly original: number;
}

/** A volume below −60 dB is practically silent. */
const QUIETEST = 0.001;

/** −1: only the original; 0: both equal; 1: only the translation. If both are silent: 0. */
export function balanceOf({ voice, original }: Volumes): number {
	if (voice === original) return 0;
	return voice > original ? 1 - original / voice : voice / original - 1;
}

/** The louder one keeps its volume, the other is lowered. From silence both return. */
export function balanced(balance: number, now: Volumes): Volumes {
	const louder = Math.max(now.voice, now.original);
	const loud = louder < QUIETEST ? 1 : louder;
	const share = Math.min(1, Math.max(-1, balance));
	return {
		voice: share < 0 ? loud * (1 + share) : loud,
		original: share > 0 ? loud * (1 - share) : loud,
	};
}

/** How much quieter each rung is than the next higher one. */
const RUNG_DB = 1.5;
/** 30 dB in total: practically silent beside a voice, but loud enough to be recorded and amplified again. */
const RUNGS = 20;
/** Tolerance, in units of the sound server (65,536 = 100 %): it converts volumes and rounds them. */
const ROUNDING = 24;

/** Gains of a volume that is lowered in steps, starting with 1. */
export const LADDER: readonly number[] = Array.from(
	{ length: RUNGS + 1 },
	(_, rung) => 10 ** ((-RUNG_DB * rung) / 20),
);

/** The rung for a gain of 0 to 1: the next one at or below the gain, otherwise the lowest. */
export function rungOf(gain: number): number {
	const rung = LADDER.findIndex((one) => one <= gain + 1e-9);
	return rung < 0 ? RUNGS : rung;
}

/** Volumes of PulseAudio (65536 = 100 %; the gain is their cube) on a rung below `full`. */
export function volumesAt(full: readonly number[], rung: number): number[] {
	const factor = Math.cbrt(LADDER[rung] ?? 1);
	return full.map((volume) => Math.round(volume * factor));
}

/** The rung below `full` that matches these volumes; −1 = none: another program or the user has set them. */
export function rungOfVolume(full: readonly number[], volume: readonly number[]): number {
	if (full.length !== volume.length) return -1;
	return LADDER.findIndex((_, rung) =>
		volumesAt(full, rung).every((one, channel) => Math.abs(one - (volume[channel] ?? 0)) <= ROUNDING),
	);
}
