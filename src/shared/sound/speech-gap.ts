/** A pause is this much softer than the loudest speech, dB. */
const BELOW_DB = 20;
/** Softer speech cannot be understood, dBFS. */
const FLOOR_DB = -60;

/** Measures how long nothing has been said, in any room: a pause is judged by this speaker's loudness. */
export interface SpeechGap {
	/** Takes a level reading. Returns how long it has been quiet up to now, ms. */
	push(rmsDb: number, nowMs: number): number;
}

export function createSpeechGap(): SpeechGap {
	let loudestDb = Number.NEGATIVE_INFINITY;
	let quietSinceMs: number | null = null;
	return {
		push(rmsDb, nowMs) {
			loudestDb = Math.max(loudestDb, rmsDb);
			if (rmsDb >= Math.max(FLOOR_DB, loudestDb - BELOW_DB)) quietSinceMs = null;
			else quietSinceMs ??= nowMs;
			return quietSinceMs === null ? 0 : nowMs - quietSinceMs;
		},
	};
}
