/** Weight that older blocks keep with each new one when channels are compared: about 1 s of 20 ms blocks. */
const KEPT = 0.98;
/** Channels with a lower correlation cancel each other when added. */
const OPPOSITE = -0.3;
/** A larger sample of a file is not sound, and its square would be too large. */
const LOUDEST = 8;

/**
 * Mixes blocks of a few ms, of the same length in each channel, to one channel.
 * Mixes channels so that no voice is cancelled or weakened: a channel in opposite phase is inverted before it is
 * added, and the sum is made as loud as the loudest channel. So a voice keeps its level, whether it is in one
 * channel or in all.
 */
export function createMixDown() {
	/**
	 * For each channel: whether it is added or subtracted, its correlation with the sum of the previous channels, and
	 * the energies of both.
	 */
	const signs: number[] = [];
	const together: number[] = [];
	const energies: number[] = [];
	const energiesBefore: number[] = [];
	let gain: number | null = null;

	/** Adds one channel to the sum of the previous ones; returns its energy in this block. */
	function add(sum: Float32Array, channel: Float32Array, at: number): number {
		let [product, own, before] = [0, 0, 0];
		for (let index = 0; index < sum.length; index += 1) {
			const [one, other] = [limited(channel[index] ?? 0), sum[index] ?? 0];
			product += one * other;
			own += one * one;
			before += other * other;
		}
		together[at] = (together[at] ?? 0) * KEPT + product;
		energies[at] = (energies[at] ?? 0) * KEPT + own;
		energiesBefore[at] = (energiesBefore[at] ?? 0) * KEPT + before;
		const scale = Math.sqrt(energies[at] * energiesBefore[at]);
		const alike = scale > 0 ? together[at] / scale : 0;
		// In between, keep the polarity: inverting in the middle of a word would click.
		if (alike < OPPOSITE) signs[at] = -1;
		else if (alike > -OPPOSITE) signs[at] = 1;
		const sign = signs[at] ?? 1;
		for (let index = 0; index < sum.length; index += 1)
			sum[index] = (sum[index] ?? 0) + sign * limited(channel[index] ?? 0);
		return own;
	}

	return {
		mix(channels: readonly Float32Array[]): Float32Array {
			const [first = new Float32Array(0)] = channels;
			if (channels.length === 1) return first.map(finite);
			const sum = new Float32Array(first.length);
			const loudest = Math.max(...channels.map((channel, at) => add(sum, channel, at)));
			const energy = sum.reduce((total, sample) => total + sample * sample, 0);
			const wanted = energy > 0 ? Math.min(1, Math.sqrt(loudest / energy)) : gain;
			const from = gain ?? wanted ?? 1;
			const to = wanted ?? 1;
			gain = wanted;
			for (let index = 0; index < sum.length; index += 1)
				sum[index] = (sum[index] ?? 0) * (from + ((to - from) * (index + 1)) / sum.length);
			return sum;
		},
	};
}

const finite = (sample: number) => (Number.isFinite(sample) ? sample : 0);
const limited = (sample: number) => Math.max(-LOUDEST, Math.min(LOUDEST, finite(sample)));
