/** When what happens (protocol 4.8). All in ms; pairs are ranges to draw from. */
export const TIMING = {
	/** `set_task` accepted → task running. */
	start: [500, 1500],
	/** Between partial texts, in heard time. */
	partial: 250,
	/** Segment end → final source text. */
	validated: 50,
	/** Final source text → its translation, per target. */
	translated: [200, 400],
	/** Translation → its speech. */
	speech: [300, 600],
	/** Segments longer than this are split when the splitter is on. */
	longest: 8000,
	queueLevel: 1000,
	/** `SERVICE_TIMEOUT` → connection closed. */
	closeAfterTimeout: 250,
	/** End of stream → connection closed. */
	closeAfterEnd: 500,
	/** Older generation: the longest tail after a plain `end_task`. */
	olderTail: 5000,
} as const satisfies Record<string, number | readonly [number, number]>;

/** A moment within a range; `random` gives [0, 1). */
export function draw(range: readonly [number, number], random: () => number): number {
	return range[0] + (range[1] - range[0]) * random();
}
