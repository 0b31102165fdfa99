/** 5 ms at 24 kHz: what a jump is spread over. */
const SPREAD = 120;
/** 0.5 % of full scale is never heard as a click. */
const LEAST = 164;

/**
 * Makes a piece follow `last`, the sample before it, without a click: where they do not fit, the jump is spread over 5
 * ms. A fitting piece is returned as it is. Samples are 16 bit.
 */
export function joinAfter(last: number, samples: Int16Array): Int16Array {
	const jump = last - (samples[0] ?? last);
	if (Math.abs(jump) <= LEAST + 2 * steepest(samples)) return samples;
	const joined = samples.slice();
	const length = Math.min(SPREAD, joined.length);
	for (let index = 0; index < length; index += 1) {
		const share = (index + 0.5) / SPREAD;
		joined[index] = Math.round(last + share * ((samples[index] ?? 0) - last));
	}
	return joined;
}

/** The largest step in the part that would be changed: sound that moves that much by itself. */
function steepest(samples: Int16Array): number {
	let step = 0;
	for (let index = 1; index < Math.min(SPREAD, samples.length); index += 1)
		step = Math.max(step, Math.abs((samples[index] ?? 0) - (samples[index - 1] ?? 0)));
	return step;
}
