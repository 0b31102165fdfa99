import type { FaultRow } from './fault-rows.ts';
import type { Outcome } from './mistakes.ts';

/** What came of a row whose handling was switched off. */
export interface Bitten {
	readonly row: FaultRow;
	/**
	 * `bit`: with each of its patches a test of it failed. `partly`: not with all of them, or some of it cannot be
	 * switched off here, and why. `not yet tried`: it has no patch.
	 */
	readonly verdict: 'bit' | 'partly' | 'did not bite' | 'not yet tried';
	readonly outcomes: readonly Outcome[];
}

const VERDICTS = ['bit', 'partly', 'did not bite', 'not yet tried'] as const;

/** Judges a row by what came of its patches, in their order. */
export function judgeBite(row: FaultRow, outcomes: readonly Outcome[]): Bitten {
	return { row, verdict: verdictOf(row, outcomes), outcomes };
}

function verdictOf({ bites = [], unbitten }: FaultRow, outcomes: readonly Outcome[]): Bitten['verdict'] {
	if (bites.some((_, at) => (outcomes[at]?.outcome ?? 'unseen') === 'unseen')) return 'did not bite';
	if (unbitten || outcomes.some(({ outcome }) => outcome === 'left out')) return 'partly';
	return bites.length === 0 ? 'not yet tried' : 'bit';
}

/** Proofs of a row, and those of them that were seen to fail. */
function proofsOf({ row, outcomes }: Bitten): { readonly all: number; readonly seen: number } {
	const seen = row.proofs.filter(({ file, test }) =>
		row.bites?.some((one, at) => one.test === file && one.name === test && outcomes[at]?.outcome === 'seen'),
	);
	return { all: row.proofs.length, seen: seen.length };
}

/** As code in a table cell, on one line. */
function code(text: string): string {
	const line = text.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|');
	return `\`\` ${line || 'nothing'} \`\``;
}

/** The whole as Markdown, with the totals first and what did not bite last. */
export function biteTableOf(rows: readonly Bitten[]): string {
	const totals = VERDICTS.map((one) => `${rows.filter(({ verdict }) => verdict === one).length} ${one}`);
	const counts = rows.map(proofsOf);
	const sum = (of: 'all' | 'seen') => counts.reduce((whole, one) => whole + one[of], 0);
	const lines = rows.map((one, at) => {
		const { row, verdict, outcomes } = one;
		const patches = (row.bites ?? []).map((bite) => `${bite.file}: ${code(bite.from)} → ${code(bite.to)}`);
		const tests = (row.bites ?? []).map(({ name }, which) => {
			const outcome = outcomes[which];
			if (outcome?.outcome === 'seen') return name;
			return `${name} (${outcome?.outcome === 'unseen' ? outcome.why : 'left out here'})`;
		});
		const why = verdict === 'partly' && row.unbitten ? `: ${row.unbitten}` : '';
		const proofs = `${counts[at]?.seen} of ${counts[at]?.all}`;
		return `| ${row.row} | ${patches.join('<br>')} | ${tests.join('<br>')} | ${proofs} | ${verdict}${why} |`;
	});
	return [
		`${totals.join(', ')}. ${sum('seen')} of ${sum('all')} tests that are named as proofs were seen to fail.`,
		'',
		'| # | patch | test that failed | proofs seen to fail | |\n|---|---|---|---|---|',
		...lines,
	].join('\n');
}
