import { FLOOR_DB } from '#shared/sound/level.ts';

/**
 * Detects speech from a meter's peaks by its repeated loud moments, which a steady noise or a knock does not
 * have.
 */
export interface SpeechEar {
	/** Takes a peak about every `EAR_MS`, dBFS. Returns whether speech has been heard so far. */
	push(peakDb: number): boolean;
}

export const EAR_MS = 100;
/** Speech rises above its surroundings by this much. */
const RISE_DB = 12;
/** Softer speech is understood badly, so the microphone is not fine. */
const SOFTEST_DB = -45;
/** Number of readings that are compared: 3 s. */
const WINDOW = 30;
/** How many of these readings must be loud: 0.6 s, more than a knock. */
const ENOUGH = 6;
/** Readings to skip: a microphone that was just opened delivers nothing, then a click. */
const UNSURE = 5;

export function createSpeechEar(): SpeechEar {
	let unsure = UNSURE;
	let recent: readonly number[] = [];
	let heard = false;
	return {
		push(peakDb) {
			if (heard || peakDb <= FLOOR_DB) return heard;
			if (unsure > 0) {
				unsure -= 1;
				return false;
			}
			recent = [...recent, peakDb].slice(-WINDOW);
			const loud = Math.max(SOFTEST_DB, Math.min(...recent) + RISE_DB);
			heard = recent.filter((one) => one >= loud).length >= ENOUGH;
			return heard;
		},
	};
}
