export interface ActivityPlan {
	/** Becomes active at this RMS or above, dBFS. */
	readonly onDb: number;
	/** Remains active at this RMS or above; lower than `onDb`, so that the state does not flutter. */
	readonly offDb: number;
	/** The level must be loud for this long before it counts, ms; 0 = at once. */
	readonly attackMs: number;
	/** Remains active for this long after the last loud moment, ms. */
	readonly holdMs: number;
}

/** Detects from a series of levels whether somebody is speaking. Pure: time comes with each level. */
export function createActivity(plan: ActivityPlan) {
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
		get active(): boolean {
			return active;
		},
		/** Adds one level; returns whether it is active now. Times must not go backwards. */
		push(rmsDb: number, nowMs: number): boolean {
			active = active ? whileActive(rmsDb, nowMs) : whileQuiet(rmsDb, nowMs);
			if (!active && rmsDb < plan.onDb) loudSinceMs = null;
			return active;
		},
		reset(): void {
			active = false;
			loudSinceMs = null;
		},
	};
}

/** A pause is this much quieter than the loudest speech, dB. */
const BELOW_DB = 20;
/** Quieter speech cannot be understood, dBFS. */
const FLOOR_DB = -60;

/** Measures the current silence in any room: pauses are judged relative to this speaker's loudness. */
export function createSpeechGap() {
	let loudestDb = Number.NEGATIVE_INFINITY;
	let quietSinceMs: number | null = null;
	return {
		/** Takes a level reading. Returns the length of the current silence, ms. */
		push(rmsDb: number, nowMs: number): number {
			loudestDb = Math.max(loudestDb, rmsDb);
			if (rmsDb >= Math.max(FLOOR_DB, loudestDb - BELOW_DB)) quietSinceMs = null;
			else quietSinceMs ??= nowMs;
			return quietSinceMs === null ? 0 : nowMs - quietSinceMs;
		},
	};
}
