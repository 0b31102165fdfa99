/**
 * Why the sound of other programs is silent.
 *
 * - `gone`: the chosen program has no stream
 * - `nothing-playing`: streams are paused, or there are none
 * - `muted`: they play, turned off in the system's mixer
 * - `dead`: something plays, or may play, and nothing but zeros comes
 */
export type SystemSilence = 'gone' | 'nothing-playing' | 'muted' | 'dead';

export interface SystemSilenceSigns {
	/** With `loopback` the playing programs are unknown. */
	readonly way: 'recorder' | 'loopback' | 'none';
	readonly applications: readonly {
		readonly name: string;
		readonly playing: boolean;
		readonly muted?: boolean | undefined;
	}[];
	/** The program that is listened to; null = all. */
	readonly wanted: string | null;
	/** Digital silence for `ZEROS_MS`, while it is listened to. */
	readonly zeros: boolean;
}

/** A player may need this long to start; a breathing speaker never gives exact zeros. */
export const ZEROS_MS = 6000;

/** Null: nothing is known to be wrong. */
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
