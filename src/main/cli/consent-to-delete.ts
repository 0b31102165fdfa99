import type { ExitStatus } from '#shared/exit-status.ts';
import type { Context } from './context.ts';
import type { Line } from './line.ts';
import { printable } from './output.ts';

/** A command that deletes needs somebody to ask, or `--yes`. Where there is neither, says so and gives the exit status. */
export function unaskable({ confirm, output }: Context, line: Line): ExitStatus | null {
	if (line.has('yes') || confirm) return null;
	return output.usage('There is no terminal to ask on: add --yes to delete.');
}

/** Asks, unless `--yes` was given. When nothing is to be deleted, says so and gives the exit status. */
export async function declined(
	{ confirm, output, signal }: Context,
	line: Line,
	question: string,
): Promise<ExitStatus | null> {
	if (line.has('yes') || (await confirm?.(printable(question)))) return null;
	if (signal.aborted) return output.problem({ kind: 'cancelled' });
	return output.refusal('declined', 'Nothing was deleted.');
}
