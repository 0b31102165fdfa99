/** A piece of one sentence, 24 kHz mono, as it comes from the socket. */
export interface VoicePiece {
	readonly transcriptionId: string;
	readonly partId: string;
	/** Grows with every piece; one that was seen before is not heard again. */
	readonly sequence: number;
	readonly last: boolean;
	readonly samples: Int16Array;
}

export interface VoiceQueueCounts {
	/** Times the voice had to stop within a sentence because nothing was there, or was quieter than half for it. */
	readonly underruns: number;
	/** Times something was late and nobody heard it, because the sound before it was held. */
	readonly hidden: number;
	/** Pieces that came twice, or after their sentence was over. */
	readonly refused: number;
	/** Sentences that were skipped because too much waited. */
	readonly skipped: number;
	/** Cut out of silences, ms. */
	readonly trimmedMs: number;
}
