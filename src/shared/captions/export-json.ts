import type { Segment } from './segment.ts';

/** One caption in `captions.json`. Times in whole ms, 0 = Start pressed. */
export interface CaptionRecord {
	/** Same on a source and its translations. */
	readonly id: string;
	readonly part: string;
	readonly language: string;
	/** `lost`: the time of speech that never reached the interpreter; its text says so in words. */
	readonly kind: Segment['kind'];
	readonly text: string;
	readonly start_ms: number;
	readonly end_ms: number;
	readonly final: boolean;
	/** The other side's words, where both were written down. */
	readonly leg?: 'incoming';
}

/** `captions.json`: everything given, in the order given, one caption a line. */
export function writeJson(segments: readonly Segment[]): string {
	if (segments.length === 0) return '[]\n';
	return `[\n${segments.map((segment) => `  ${JSON.stringify(recordOf(segment))}`).join(',\n')}\n]\n`;
}

function recordOf(segment: Segment): CaptionRecord {
	return {
		id: segment.transcriptionId,
		part: segment.partId,
		language: segment.language,
		kind: segment.kind,
		text: segment.text.toWellFormed(),
		start_ms: Math.round(segment.startMs),
		end_ms: Math.round(segment.endMs),
		final: segment.final,
		...(segment.leg === 'incoming' && { leg: segment.leg }),
	};
}
