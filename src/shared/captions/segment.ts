import type { LegName } from '#shared/leg-name.ts';
import type { TypedState } from './typed-texts.ts';

/** One caption: a piece of source speech or one translation of it. */
export interface Segment {
	/**
	 * `kind|transcriptionId|partId|language`, unique within a conversation; a source leaves the language
	 * empty, for it may be heard as another one while it is still open.
	 */
	readonly key: string;
	/**
	 * As the service says; after a reconnect with `~1`, `~2`, … behind, since ids may come again, and with the
	 * name of the leg before it when that is not the outgoing one.
	 */
	readonly transcriptionId: string;
	readonly partId: string;
	/** `lost`: no text, but the time of speech that never reached the interpreter. */
	readonly kind: 'source' | 'translation' | 'lost';
	readonly language: string;
	readonly text: string;
	readonly final: boolean;
	/** Not final, and nothing more is awaited: a pause, a new stream or the end came before. */
	readonly cutOff?: true;
	/** ms on the conversation's clock (0 = Start pressed). Never decreasing in the assembler's lists. */
	readonly startMs: number;
	readonly endMs: number;
	/** Whose words it is about; absent = mine, or of a conversation with one leg. */
	readonly leg?: LegName | undefined;
	/** It was said while the connection was away, and heard later: when it was said, Unix ms. */
	readonly late?: number | undefined;
}

/** What one row of the captions view shows: a source segment with its translations. */
export interface CaptionRow {
	readonly transcriptionId: string;
	readonly source: Segment | null;
	/** By target language, parts in order. */
	readonly translations: readonly Segment[];
	/** It was typed, not said, and got so far. */
	readonly typed?: TypedState | undefined;
	/** Whose words they are; absent = mine, or of a conversation with one leg. */
	readonly leg?: LegName | undefined;
	/** As of its texts: when it was said, Unix ms. */
	readonly late?: number | undefined;
	/** Nothing but this: speech of this time never reached the interpreter. */
	readonly lost?: Segment | undefined;
}
