import { FLOOR_DB } from '#shared/sound/level.ts';

/** Detects speech from a meter's peaks: its loud moments, which a steady noise or a knock does not have. */
export interface SpeechEar {
	/** A peak about every `EAR_MS`, dBFS. Answers whether speech has been heard, and stays true. */
	push(peakDb: number): boolean;
}

export const EAR_MS = 100;
/** Speech rises above what is around it by this much. */
const RISE_DB = 12;
/** Softer speech is understood badly, so the microphone is not fine. */
const SOFTEST_DB = -45;
/** Readings that are compared: 3 s. */
const WINDOW = 30;
/** Loud ones among them: 0.6 s, more than a knock. */
const ENOUGH = 6;
/** A microphone that was just opened delivers nothing, then a click. */
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
