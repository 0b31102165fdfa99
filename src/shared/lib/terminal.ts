/**
 * The first sentence of an error of `parseArgs`: the rest explains how an argument can begin with a dash, which
 * does not help with a misspelt option. Other errors keep their message.
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
 * Signals this soon after the first count as the same key press, ms: a terminal signals a whole group, npm forwards
 * its own signal, and `scripts/run.mjs` sends another once npm has exited.
 */
const ONE_PRESS_MS = 500;

/**
 * Call the returned function at each termination signal:
 * the first press runs `first`, a later one `again`. `now` in ms.
 */
export function createPresses(parts: { now(): number; first(): void; again(): void }): () => void {
	let firstMs: number | null = null;
	return () => {
		if (firstMs === null) {
			firstMs = parts.now();
			parts.first();
		} else if (parts.now() - firstMs >= ONE_PRESS_MS) parts.again();
	};
}
