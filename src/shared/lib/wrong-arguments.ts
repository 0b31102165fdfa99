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
