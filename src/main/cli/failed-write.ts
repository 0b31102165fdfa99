import { isTopic } from './commands.ts';
import { type Line, readLine } from './line.ts';

/** The reader has seen enough, as in `… | head`; Windows says EOF. */
const READER_GONE: ReadonlySet<string> = new Set(['EPIPE', 'EOF']);

/**
 * What becomes of the command `words` when standard output takes no more, failing with `code`: it goes on, it has done
 * enough, or it has failed. One that was interrupted goes on, so that it can save what was finished.
 */
export function afterFailedWrite(
	code: string,
	words: readonly string[],
	isInterrupted: boolean,
): 'go-on' | 'done' | 'failed' {
	if (isInterrupted) return 'go-on';
	const line = lineOf(words);
	// A session that nobody has read of must be deleted again.
	if (!READER_GONE.has(code) || line?.command === 'sessions create') return 'failed';
	return line && isResultInFiles(line) ? 'go-on' : 'done';
}

/** Null where it is not understood, or asks for help. */
function lineOf([name = '', ...rest]: readonly string[]): Line | null {
	const line = isTopic(name) ? readLine(name, rest) : 'help';
	return typeof line === 'string' ? null : line;
}

/** What such a command writes to standard output is only about its files. */
function isResultInFiles(line: Line): boolean {
	const out = line.text('out');
	return out === '' ? line.command === 'translate' || line.command === 'speak' : out !== '-';
}
