/** A pause is so much softer than the loudest that was said, dB. */
const BELOW_DB = 20;
/** Softer than this nobody is understood, dBFS. */
const FLOOR_DB = -60;

/** How long nothing has been said, in any room: a pause is measured by how loud this speaker is. */
export interface SpeechGap {
	/** A reading of the speaker. Returns how long it has been quiet up to now, ms. */
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
