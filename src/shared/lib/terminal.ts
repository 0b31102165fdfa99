/**
 * The first sentence of what `parseArgs` throws: after it Node explains how an argument can begin with a dash, which
 * does not help somebody who misspelt an option. Other failures keep their words.
 */
export function wrongArguments(thrown: unknown): string {
	if (!(thrown instanceof Error)) return 'Not understood.';
	const { message } = thrown;
	const valueless = /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' argument (?:missing|is ambiguous)/.exec(
		message,
	);
	if (valueless) return `${valueless[1]} needs a value.`;
	const first =
		/^.*?(?=\.\n|\. To specify a positional|\. This command does not)/s.exec(message)?.[0] ?? message;
	return first.endsWith('.') ? first : `${first}.`;
}

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
