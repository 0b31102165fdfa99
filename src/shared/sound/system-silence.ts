/**
 * Why the sound of other programs is silent.
 *
 * - `gone`: the chosen program has no stream
 * - `nothing-playing`: streams are paused, or none exist
 * - `muted`: streams are playing, but muted in the system's mixer
 * - `dead`: a program is playing, or may be, but the samples are all zeros
 */
export type SystemSilence = 'gone' | 'nothing-playing' | 'muted' | 'dead';

export interface SystemSilenceSigns {
	/** With `loopback` it is unknown which programs are playing. */
	readonly way: 'recorder' | 'loopback' | 'none';
	readonly applications: readonly {
		readonly name: string;
		readonly playing: boolean;
		readonly muted?: boolean | undefined;
	}[];
	/** The program that is captured; null = all. */
	readonly wanted: string | null;
	/** Digital silence for `ZEROS_MS` while sound is captured. */
	readonly zeros: boolean;
}

/** A player may take this long to start; a breathing speaker never produces exact zeros. */
export const ZEROS_MS = 6000;

/** Null: no known fault. */
export function systemSilence({
	way,
	applications,
	wanted,
	zeros,
}: SystemSilenceSigns): SystemSilence | null {
	if (way === 'none') return null;
	if (way === 'loopback') return zeros ? 'dead' : null;
	const ours = applications.filter(({ name }) => wanted === null || name === wanted);
	if (wanted !== null && ours.length === 0) return 'gone';
	const playing = ours.filter((one) => one.playing);
	if (playing.length === 0) return 'nothing-playing';
	if (playing.every(({ muted }) => muted)) return 'muted';
	return zeros ? 'dead' : null;
}
