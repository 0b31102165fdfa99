import { SOCKET_AUDIO } from '#shared/protocol/socket-audio.ts';
import type { WavSink } from './wav-sink.ts';

/** Sentences of one language on one time axis. */
export interface Dubbing {
	/** A piece of a sentence, in order; `startMs` is where its source begins, null when nobody knows. */
	piece(
		sentence: string,
		samples: Int16Array,
		options: { readonly last: boolean; readonly startMs: number | null },
	): void;
	/** Sentences that were begun and never ended are included all the same. */
	end(): void;
}

const PER_MS = SOCKET_AUDIO.sampleRateHz / 1000;
/** Silence is written in pieces of this many samples. */
const SILENCE = new Int16Array(SOCKET_AUDIO.sampleRateHz);
/** More unfinished sentences than a service speaks at once. */
const MOST_OPEN = 16;

interface Sentence {
	readonly pieces: Int16Array[];
	startMs: number | null;
}

/**
 * Puts each sentence where its source was spoken, or after the previous sentence where that one took
 * longer: nothing overlaps, nothing is cut.
 */
export function createDubbing(sink: WavSink): Dubbing {
	const open = new Map<string, Sentence>();

	function place(id: string, { pieces, startMs }: Sentence): void {
		open.delete(id);
		if (pieces.length === 0) return;
		for (
			let missing = Math.round((startMs ?? 0) * PER_MS) - sink.length;
			missing > 0;
			missing -= SILENCE.length
		)
			sink.write(SILENCE.subarray(0, Math.min(missing, SILENCE.length)));
		for (const piece of pieces) sink.write(piece);
	}

	return {
		piece(id, samples, { last, startMs }) {
			const sentence = open.get(id) ?? { pieces: [], startMs };
			open.set(id, sentence);
			sentence.startMs ??= startMs;
			if (samples.length > 0) sentence.pieces.push(samples);
			if (last) place(id, sentence);
			const oldest = open.entries().next().value;
			if (open.size > MOST_OPEN && oldest) place(...oldest);
		},
		end() {
			for (const [id, sentence] of [...open]) place(id, sentence);
		},
	};
}
