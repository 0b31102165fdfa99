import { type InvalidTable, invalidTable, oneFault, recordsOf } from '#main/lib/read-csv.ts';
import { asCompared } from '#shared/captions/apply-corrections.ts';
import { type Correction, LONGEST_CORRECTION, MOST_CORRECTIONS } from '#shared/captions/corrections.ts';
import { asWritten } from '#shared/lib/csv.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { TableFault } from '#shared/problem.ts';
import { baseOf, localeTag } from '#shared/protocol/languages.ts';

const COLUMNS = 3;
/** The first cell of a header row. */
const HEAD = /^(language|code|lang)$/i;

/**
 * Reads a table of language, wrong text and right text, perhaps with a header. If two rows correct the same words,
 * the later one wins.
 */
export function readCorrections(text: string): Result<Correction[], InvalidTable> {
	const found = recordsOf(text, COLUMNS);
	if ('line' in found) return oneFault(found.line, 'quotes');
	const [first] = found;
	const records = first && HEAD.test(first.cells[0] ?? '') ? found.slice(1) : found;
	const faults: TableFault[] = [];
	const corrections = new Map<string, Correction>();
	for (const { line, cells } of records) {
		const fault = faultIn(cells);
		const [language = '', wrong = '', right = ''] = cells.map(asWritten);
		const key = `${baseOf(language)} ${asCompared(wrong)}`;
		if (fault) faults.push({ line, reason: fault });
		else corrections.set(key, { language: baseOf(language), wrong: asCompared(wrong), right });
	}
	if (faults.length > 0) return invalidTable(faults);
	if (corrections.size === 0) return oneFault(0, 'nothing');
	if (corrections.size > MOST_CORRECTIONS) return oneFault(0, 'too-many');
	return ok([...corrections.values()]);
}

function faultIn(cells: readonly string[]): TableFault['reason'] | null {
	if (cells.length !== COLUMNS) return 'three-columns';
	if (cells.some((cell) => cell === '')) return 'empty';
	if (localeTag(cells[0] ?? '') === 'und') return 'language';
	return cells.some((cell) => cell.length > LONGEST_CORRECTION) ? 'too-long-words' : null;
}
