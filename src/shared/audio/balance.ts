/** Volumes of the translated voice and of what was said, 0 to 1 each. */
export interface Volumes {
	readonly voice: number;
	readonly original: number;
}

/** Below −60 dB nobody hears anything: as good as silent. */
const QUIETEST = 0.001;

/** −1: only what was said; 0: both alike; 1: only the translation. Of two that are silent: both alike. */
export function balanceOf({ voice, original }: Volumes): number {
	if (voice === original) return 0;
	return voice > original ? 1 - original / voice : voice / original - 1;
}

/** The louder one stays as loud as it is, the other gives way. From silence both come back. */
export function balanced(balance: number, now: Volumes): Volumes {
	const louder = Math.max(now.voice, now.original);
	const loud = louder < QUIETEST ? 1 : louder;
	const share = Math.min(1, Math.max(-1, balance));
	return {
		voice: share < 0 ? loud * (1 + share) : loud,
		original: share > 0 ? loud * (1 - share) : loud,
	};
}
