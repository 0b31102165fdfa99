/** Volumes of the translated voice and of the original, 0 to 1 each. */
export interface Volumes {
	readonly voice: number;
	readonly original: number;
}

/** Below −60 dB it is as good as silent. */
const QUIETEST = 0.001;

/** −1: only the original; 0: both alike; 1: only the translation. If both are silent: 0. */
export function balanceOf({ voice, original }: Volumes): number {
	if (voice === original) return 0;
	return voice > original ? 1 - original / voice : voice / original - 1;
}

/** The louder one keeps its volume, the other gives way. From silence both come back. */
export function balanced(balance: number, now: Volumes): Volumes {
	const louder = Math.max(now.voice, now.original);
	const loud = louder < QUIETEST ? 1 : louder;
	const share = Math.min(1, Math.max(-1, balance));
	return {
		voice: share < 0 ? loud * (1 + share) : loud,
		original: share > 0 ? loud * (1 - share) : loud,
	};
}

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

/** The rung below `full` that these volumes equal; −1 = none: another program or the user has set them. */
export function rungOfVolume(full: readonly number[], volume: readonly number[]): number {
	if (full.length !== volume.length) return -1;
	return LADDER.findIndex((_, rung) =>
		volumesAt(full, rung).every((one, channel) => Math.abs(one - (volume[channel] ?? 0)) <= ROUNDING),
	);
}
