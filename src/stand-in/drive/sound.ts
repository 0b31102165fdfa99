/** Sound as it is recorded or spoken. */
export interface Sound {
	readonly rate: number;
	/** Mono, -1 to 1. */
	readonly samples: Float32Array;
}

/** The sound as 16-bit samples with silence before and after it, s. */
export function padded({ rate, samples }: Sound, beforeS: number, afterS: number): Int16Array {
	const before = Math.round(beforeS * rate);
	const pcm = new Int16Array(before + samples.length + Math.round(afterS * rate));
	for (let index = 0; index < samples.length; index++) {
		const value = Math.max(-1, Math.min(1, samples[index] ?? 0));
		pcm[before + index] = Math.round(value * 32_767);
	}
	return pcm;
}

/** A stretch of sound, ms from the start of the recording. */
export interface Span {
	readonly fromMs: number;
	readonly toMs: number;
}

/** Blocks of 20 ms. */
const BLOCKS_PER_S = 50;

/**
 * Stretches of a recording that are louder than `floor` (RMS, 0 to 1), joined over gaps up to `gapMs`.
 * A single block may be a click; less than `leastMs` is left out.
 */
export function activity(
	pcm: Int16Array,
	{ rate = 48_000, floor = 0.01, gapMs = 400, leastMs = 60 } = {},
): readonly Span[] {
	const block = Math.round(rate / BLOCKS_PER_S);
	const spans: { fromMs: number; toMs: number }[] = [];
	for (let at = 0; at + block <= pcm.length; at += block) {
		let sum = 0;
		for (let index = at; index < at + block; index++) sum += ((pcm[index] ?? 0) / 32_768) ** 2;
		if (Math.sqrt(sum / block) < floor) continue;
		const fromMs = Math.round((at / rate) * 1000);
		const last = spans.at(-1);
		if (last && fromMs - last.toMs <= gapMs) last.toMs = fromMs + 20;
		else spans.push({ fromMs, toMs: fromMs + 20 });
	}
	return spans.filter((span) => span.toMs - span.fromMs >= leastMs);
}
