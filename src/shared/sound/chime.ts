const RATE_HZ = 48_000;
const NOTE_EVERY_S = 0.16;
const LENGTH_S = 1.1;
/** A major chord upwards: E5, A5, C♯6. */
const NOTES_HZ = [659.26, 880, 1108.73];
/** Each note falls to a third in this time. */
const DECAY_S = 0.22;
/** A rise this long starts a note without a click. */
const RISE_S = 0.008;
const LOUDNESS = 0.2;

/** A short friendly sound for "can you hear this?", as samples in [-1, 1], mono at 48 kHz. */
export function chime(): { readonly samples: Float32Array; readonly rateHz: number } {
	const samples = new Float32Array(Math.round(LENGTH_S * RATE_HZ));
	for (const [index, hz] of NOTES_HZ.entries()) {
		const start = Math.round(index * NOTE_EVERY_S * RATE_HZ);
		for (let at = start; at < samples.length; at += 1) {
			const seconds = (at - start) / RATE_HZ;
			// Down to nothing at the end, so that the last note does not break off.
			const rest = 1 - at / samples.length;
			const envelope = Math.min(1, seconds / RISE_S) * Math.exp(-seconds / DECAY_S) * rest;
			samples[at] = (samples[at] ?? 0) + LOUDNESS * envelope * Math.sin(2 * Math.PI * hz * seconds);
		}
	}
	return { samples, rateHz: RATE_HZ };
}
