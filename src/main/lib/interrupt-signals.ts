/**
 * Signals that come this soon after the first are the same press, ms: a terminal signals a whole group, npm passes its
 * own signal on, and `scripts/run.mjs` sends another once npm is gone.
 */
const ONE_PRESS_MS = 500;

/** Called at each signal to end: the first press runs `first`, a later one `again`. `now` in ms. */
export function createPresses(parts: { now(): number; first(): void; again(): void }): () => void {
	let firstMs: number | null = null;
	return () => {
		if (firstMs === null) {
			firstMs = parts.now();
			parts.first();
		} else if (parts.now() - firstMs >= ONE_PRESS_MS) parts.again();
	};
}
