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
