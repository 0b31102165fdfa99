import { FLOOR_DB, levelsOf, SILENT_DB, WINDOW_MS } from '#shared/sound/sample-check.ts';

/** A sound in at least this many consecutive windows is more than a click. */
const SPOKEN_WINDOWS = 3;
/** Sound that is quieter than the speech by more than this counts as silence. */
const SPEECH_RANGE_DB = 40;
/** With a smaller range the recording is one steady sound, and nothing is cut. */
const STANDS_OUT_DB = 6;
/** Silence kept before the first word and after the last. */
const MARGIN_MS = 200;

/**
 * Where speech begins and ends in a recording (mono 16 bit), with a little silence around it; sample numbers.
 * Never shorter than `leastMs` if the recording is longer; the whole recording if nothing stands out.
 */
export function withoutSilence(
	samples: Int16Array,
	rateHz: number,
	leastMs: number,
): { readonly from: number; readonly to: number } {
	const whole = { from: 0, to: samples.length };
	const window = Math.max(1, Math.round((rateHz * WINDOW_MS) / 1000));
	const { levels } = levelsOf(samples, window);
	const sorted = levels.toSorted((a, b) => a - b);
	const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? FLOOR_DB;
	const speechDb = at(0.9);
	const noiseDb = Math.max(at(0.02), speechDb - SPEECH_RANGE_DB);
	if (speechDb < SILENT_DB || speechDb - noiseDb < STANDS_OUT_DB) return whole;
	const threshold = noiseDb + (speechDb - noiseDb) / 3;
	const isSpoken = (index: number, towards: 1 | -1) =>
		Array.from({ length: SPOKEN_WINDOWS }, (_, step) => levels[index + towards * step] ?? FLOOR_DB).every(
			(level) => level >= threshold,
		);
	const first = levels.findIndex((_, index) => isSpoken(index, 1));
	const last = levels.findLastIndex((_, index) => isSpoken(index, -1));
	if (first === -1 || last === -1) return whole;
	const margin = Math.round((rateHz * MARGIN_MS) / 1000);
	const from = Math.max(0, first * window - margin);
	const to = Math.min(samples.length, (last + 1) * window + margin);
	return atLeast(
		{ from, to },
		Math.min(samples.length, Math.ceil((rateHz * leastMs) / 1000)),
		samples.length,
	);
}

function atLeast({ from, to }: { from: number; to: number }, least: number, most: number) {
	const missing = Math.max(0, least - (to - from));
	const begin = Math.max(0, Math.min(from - Math.floor(missing / 2), most - Math.max(least, to - from)));
	return { from: begin, to: Math.min(most, Math.max(to, begin + Math.max(least, to - from))) };
}
