const CHIME_RATE_HZ = 48_000;
const NOTE_EVERY_S = 0.16;
const CHIME_S = 1.1;
/** An ascending major chord: E5, A5, C♯6. */
const CHIME_NOTES_HZ = [659.26, 880, 1108.73];
/** Each note decays to a third in this time. */
const DECAY_S = 0.22;
/** A note rises for this long so that it starts without a click. */
const RISE_S = 0.008;
const CHIME_LOUDNESS = 0.2;

/** A short friendly sound for "can you hear this?", as samples in [-1, 1], mono at 48 kHz. */
export function chime(): { readonly samples: Float32Array; readonly rateHz: number } {
	const samples = new Float32Array(Math.round(CHIME_S * CHIME_RATE_HZ));
	for (const [index, hz] of CHIME_NOTES_HZ.entries()) {
		const start = Math.round(index * NOTE_EVERY_S * CHIME_RATE_HZ);
		for (let at = start; at < samples.length; at += 1) {
			const seconds = (at - start) / CHIME_RATE_HZ;
			// Fades to zero, so that the last note does not end abruptly.
			const rest = 1 - at / samples.length;
			const envelope = Math.min(1, seconds / RISE_S) * Math.exp(-seconds / DECAY_S) * rest;
			samples[at] = (samples[at] ?? 0) + CHIME_LOUDNESS * envelope * Math.sin(2 * Math.PI * hz * seconds);
		}
	}
	return { samples, rateHz: CHIME_RATE_HZ };
}

const TURN_RATE_HZ = 24_000;
const TURN_S = 0.18;
/** An ascending fourth: an invitation, not an alarm. */
const TURN_NOTES_HZ = [587.33, 783.99];
const TURN_LOUDNESS = 0.12;

/** The sound of "your turn": mono 16 bit, fading in and out. */
export function turnTone(): { readonly samples: Int16Array; readonly rateHz: number } {
	const samples = new Int16Array(Math.round(TURN_S * TURN_RATE_HZ));
	const half = samples.length / TURN_NOTES_HZ.length;
	/** Continues from one note to the next: a jump between them would click. */
	let phase = 0;
	for (let at = 0; at < samples.length; at += 1) {
		const hz = TURN_NOTES_HZ[Math.floor(at / half)] ?? 0;
		const envelope = Math.sin((Math.PI * at) / samples.length) ** 2;
		samples[at] = Math.round(32_767 * TURN_LOUDNESS * envelope * Math.sin(phase));
		phase += (2 * Math.PI * hz) / TURN_RATE_HZ;
	}
	return { samples, rateHz: TURN_RATE_HZ };
}
