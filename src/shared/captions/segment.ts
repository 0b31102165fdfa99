import type { LegName } from '#shared/leg-name.ts';
import type { TypedState } from './typed-texts.ts';

/** One caption: a piece of source speech or one translation of it. */
export interface Segment {
	/**
	 * `kind|transcriptionId|partId|language`, unique within a conversation; a source omits the language,
	 * because the detected language may change while the source is open.
	 */
	readonly key: string;
	/** The service's id, with `~1`, `~2`, … after a reconnect; prefixed in the incoming direction. */
	readonly transcriptionId: string;
	readonly partId: string;
	/** `lost`: no text, but the span of speech that never reached the interpreter. */
	readonly kind: 'source' | 'translation' | 'lost';
	readonly language: string;
	readonly text: string;
	readonly final: boolean;
	/** Not final, and nothing more is expected because of a pause, a new stream or the end. */
	readonly cutOff?: true;
	/** ms on the conversation's clock (0 = Start pressed). Never decreasing in the assembler's lists. */
	readonly startMs: number;
	readonly endMs: number;
	/** The speaker's direction; absent = mine, or a conversation with one direction. */
	readonly leg?: LegName | undefined;
}

/** One row of the captions: a source segment with its translations. */
export interface CaptionRow {
	readonly transcriptionId: string;
	readonly source: Segment | null;
	/** By target language, pieces in order. */
	readonly translations: readonly Segment[];
	/** Progress of a typed text; absent = spoken. */
	readonly typed?: TypedState | undefined;
	/** The speaker's direction; absent = mine, or a conversation with one direction. */
	readonly leg?: LegName | undefined;
	/** Speech that never reached the interpreter; such a row contains nothing else. */
	readonly lost?: Segment | undefined;
}
