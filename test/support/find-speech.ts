/** A sampling rate high enough to tell speech apart, Hz. */
const RATE = 8000;
const WINDOW_MS = 300;
/** Windows this alike are the same sound: others stay far below. */
const ALIKE = 0.6;
/** Below this RMS (0 to 1) a window has nothing recognisable in it. */
const FAINT = 0.01;

/** Every `factor`th sample of a running mean: enough of a filter for comparing. */
function thin(pcm: Int16Array, rate: number): Float32Array {
	const factor = rate / RATE;
	const out = new Float32Array(Math.floor(pcm.length / factor));
	for (let index = 0; index < out.length; index++) {
		let sum = 0;
		for (let at = 0; at < factor; at++) sum += pcm[index * factor + at] ?? 0;
		out[index] = sum / factor / 32_768;
	}
	return out;
}

/** The best normalised cross-correlation of `window` anywhere in `sound`, -1 to 1. */
function bestMatch(sound: Float32Array, window: Float32Array): number {
	const energy = window.reduce((sum, value) => sum + value * value, 0);
	let under = 0;
	for (let at = 0; at < window.length; at++) under += (sound[at] ?? 0) ** 2;
	let best = -1;
	for (let shift = 0; shift + window.length <= sound.length; shift++) {
		if (under > energy / 100) {
			let product = 0;
			for (let at = 0; at < window.length; at++) product += (sound[shift + at] ?? 0) * (window[at] ?? 0);
			best = Math.max(best, product / Math.sqrt(energy * under));
		}
		under += (sound[shift + window.length] ?? 0) ** 2 - (sound[shift] ?? 0) ** 2;
	}
	return best;
}

/**
 * How much of a recorded sentence is in what was heard, 0 to 1: the share of its windows that are
 * found again, regardless of gaps and stretches between them. Rates are multiples of 8 kHz.
 */
export function shareHeard(
	heard: { readonly pcm: Int16Array; readonly rate: number },
	sentence: { readonly pcm: Int16Array; readonly rate: number },
): number {
	const sound = thin(heard.pcm, heard.rate);
	const said = thin(sentence.pcm, sentence.rate);
	const size = (RATE * WINDOW_MS) / 1000;
	let windows = 0;
	let found = 0;
	for (let from = 0; from + size <= said.length; from += size) {
		const window = said.subarray(from, from + size);
		const rms = Math.sqrt(window.reduce((sum, value) => sum + value * value, 0) / size);
		if (rms < FAINT) continue;
		windows += 1;
		if (bestMatch(sound, window) > ALIKE) found += 1;
	}
	return windows === 0 ? 0 : found / windows;
}
