/** A piece of one sentence, 24 kHz mono, as it comes from the socket. */
export interface VoicePiece {
	readonly transcriptionId: string;
	readonly partId: string;
	/** Grows with every piece; a number seen before is not played again. */
	readonly sequence: number;
	readonly last: boolean;
	readonly samples: Int16Array;
}

/** What a voice that ends hands over to the one that goes on elsewhere. */
export interface VoiceRest {
	/** Not played yet. */
	readonly pieces: readonly VoicePiece[];
	/** Sentences of which nothing is wanted that still comes. */
	readonly dropped: readonly string[];
	/** The sentence that began last. */
	readonly begun: string | null;
}

export interface VoiceQueueCounts {
	/** Times the voice had to stop, or fall below half loudness, within a sentence because nothing was there. */
	readonly underruns: number;
	/** Times a late piece went unnoticed, because the sound before it was held. */
	readonly hidden: number;
	/** Pieces that came twice, or after their sentence was over. */
	readonly refused: number;
	/** Sentences that were skipped because too much waited. */
	readonly skipped: number;
	/** Cut out of silences, ms. */
	readonly trimmedMs: number;
}
