export interface ActivityPlan {
	/** Becomes active at this RMS or above, dBFS. */
	readonly onDb: number;
	/** Stays active while at this RMS or above; below `onDb`, so that it does not flutter. */
	readonly offDb: number;
	/** Must be loud for this long before it counts, ms; 0 = at once. */
	readonly attackMs: number;
	/** Stays active for this long after the last loud moment, ms. */
	readonly holdMs: number;
}

/** Somebody is speaking or not, from a series of levels. Pure: time comes with each level. */
export interface Activity {
	/** Takes one level in; answers whether it is active now. Times must not go backwards. */
	push(rmsDb: number, nowMs: number): boolean;
	readonly active: boolean;
	reset(): void;
}

export function createActivity(plan: ActivityPlan): Activity {
	let active = false;
	let loudSinceMs: number | null = null;
	let lastLoudMs = Number.NEGATIVE_INFINITY;

	function whileQuiet(rmsDb: number, nowMs: number): boolean {
		if (rmsDb < plan.onDb) {
			loudSinceMs = null;
			return false;
		}
		loudSinceMs ??= nowMs;
		lastLoudMs = nowMs;
		return nowMs - loudSinceMs >= plan.attackMs;
	}

	function whileActive(rmsDb: number, nowMs: number): boolean {
		if (rmsDb >= plan.offDb) lastLoudMs = nowMs;
		return nowMs - lastLoudMs < plan.holdMs;
	}

	return {
		get active() {
			return active;
		},
		push(rmsDb, nowMs) {
			active = active ? whileActive(rmsDb, nowMs) : whileQuiet(rmsDb, nowMs);
			if (!active && rmsDb < plan.onDb) loudSinceMs = null;
			return active;
		},
		reset() {
			active = false;
			loudSinceMs = null;
		},
	};
}

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
