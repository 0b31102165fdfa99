import { isTopic } from './commands.ts';
import { readLine } from './line.ts';

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
	if (!READER_GONE.has(code)) return 'failed';
	return isResultInFiles(words) ? 'go-on' : 'done';
}

/** What such a command writes to standard output is only about its files. */
function isResultInFiles([name = '', ...rest]: readonly string[]): boolean {
	const line = isTopic(name) ? readLine(name, rest) : 'help';
	if (typeof line === 'string') return false;
	const out = line.text('out');
	return out === '' ? line.command === 'translate' || line.command === 'speak' : out !== '-';
}
