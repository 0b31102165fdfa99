const RATE_HZ = 24_000;
const LENGTH_S = 0.18;
/** A fourth upwards: an invitation, not an alarm. */
const NOTES_HZ = [587.33, 783.99];
const LOUDNESS = 0.12;

/** The sound of "your turn": mono 16 bit, soft at both ends. */
export function turnTone(): { readonly samples: Int16Array; readonly rateHz: number } {
	const samples = new Int16Array(Math.round(LENGTH_S * RATE_HZ));
	const half = samples.length / NOTES_HZ.length;
	/** Goes on from one note to the next: a jump between them would be a click. */
	let phase = 0;
	for (let at = 0; at < samples.length; at += 1) {
		const hz = NOTES_HZ[Math.floor(at / half)] ?? 0;
		const envelope = Math.sin((Math.PI * at) / samples.length) ** 2;
		samples[at] = Math.round(32_767 * LOUDNESS * envelope * Math.sin(phase));
		phase += (2 * Math.PI * hz) / RATE_HZ;
	}
	return { samples, rateHz: RATE_HZ };
}
