import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { patternOf, projectOf, readReport } from '#scripts/report.ts';

/** A test that injects a fault: `test` is a part of its full name, with `%s` and the like for what varies. */
export interface Proof {
	readonly file: string;
	readonly test: string;
	/** It takes minutes: run with `--all` only. */
	readonly whole?: true;
}

/** Added to the projects of a run that includes proofs marked `whole`. */
export const WHOLE = 'whole';

/** A row of the catalogue of faults; its number is its name. */
export interface FaultRow {
	readonly row: number;
	/** REST, session life, network, messages, … */
	readonly about: string;
	readonly fault: string;
	readonly expected: string;
	readonly proofs: readonly Proof[];
	/** The part of it that is not injected yet. */
	readonly open?: string;
}

/**
 * Reads `catalogue.json`. A proof is written there as vitest writes a test, `file > part of its full name`; those that
 * take minutes are called `whole`.
 */
export function readCatalogue(root: string): readonly FaultRow[] {
	type Written = Omit<FaultRow, 'proofs'> & { readonly proofs: string[]; readonly whole?: string[] };
	const rows: Written[] = JSON.parse(readFileSync(join(root, 'test/faults/catalogue.json'), 'utf8'));
	const proofOf = (text: string): Proof => {
		const [file = '', ...test] = text.split(' > ');
		return { file, test: test.join(' > ') };
	};
	return rows.map(({ proofs, whole = [], ...row }) => ({
		...row,
		proofs: [...proofs.map(proofOf), ...whole.map((text): Proof => ({ ...proofOf(text), whole: true }))],
	}));
}

/** A test that ran. */
export interface Seen {
	readonly file: string;
	/** With the names of the groups around it; empty for a file all of whose tests skipped themselves. */
	readonly name: string;
	readonly passed: boolean;
	readonly skipped: boolean;
}

export interface Judged {
	readonly row: FaultRow;
	/** `not run`: left out this time, or it needs what is not on this machine. `not yet`: nothing injects it. */
	readonly verdict: 'passed' | 'failed' | 'partly' | 'not yet' | 'not run';
	/** Tests that passed, of those that belong to the row and ran. */
	readonly passed: number;
	readonly ran: number;
	/** Proofs that were left out this time. */
	readonly left: number;
	/** Proofs whose tests said that something they need is not on this machine. */
	readonly missing: number;
	readonly failures: readonly string[];
}

/** The verdict on a row: every proof must have run and passed, except those that skipped themselves. */
export function judge(row: FaultRow, seen: readonly Seen[], projects: readonly string[]): Judged {
	const failures: string[] = [];
	let [passed, ran, left, missing] = [0, 0, 0, 0];
	for (const proof of row.proofs) {
		const pattern = new RegExp(patternOf(proof.test));
		// rows.test.ts checks that the file has this test; if it did not register, it skipped itself, alone or with its group.
		const here = seen.filter(({ file }) => file === proof.file);
		const mine = here.filter(({ name, skipped }) => !skipped && pattern.test(name));
		if (!projects.includes(projectOf(proof.file)) || (proof.whole && !projects.includes(WHOLE))) left += 1;
		else if (here.length > 0 && mine.length === 0) missing += 1;
		else if (mine.length === 0) failures.push(`${proof.file}: "${proof.test}" did not run`);
		for (const one of mine) if (!one.passed) failures.push(`${one.file}: ${one.name}`);
		ran += mine.length;
		passed += mine.filter((one) => one.passed).length;
	}
	const verdict = verdictOf(row, failures.length, ran, left + missing);
	return { row, verdict, passed, ran, left, missing, failures };
}

function verdictOf(row: FaultRow, failures: number, ran: number, unseen: number): Judged['verdict'] {
	if (row.proofs.length === 0) return 'not yet';
	if (failures > 0) return 'failed';
	if (ran === 0) return 'not run';
	return row.open || unseen > 0 ? 'partly' : 'passed';
}

/** The whole as Markdown, with the totals first and what failed last. */
export function tableOf(verdicts: readonly Judged[]): string {
	const order = ['passed', 'partly', 'failed', 'not yet', 'not run'] as const;
	const totals = order
		.map((one) => `${verdicts.filter(({ verdict }) => verdict === one).length} ${one}`)
		.join(', ');
	const lines = verdicts.map(({ row, verdict, passed, ran, left, missing }) => {
		const seen = [
			...(ran > 0 || left + missing === 0
				? [`${passed === ran ? ran : `${passed} of ${ran}`} test${ran === 1 ? '' : 's'}`]
				: []),
			...(left > 0 ? [`${left} more proof${left === 1 ? '' : 's'} with \`--all\``] : []),
			...(missing > 0
				? [`${missing} proof${missing === 1 ? '' : 's'} not run here, for a part that is missing`]
				: []),
			...(row.open && verdict !== 'passed' ? [`open: ${row.open}`] : []),
		].join('; ');
		return `| ${row.row} | ${row.fault} | ${row.expected} | ${verdict}: ${seen} |`;
	});
	const failures = verdicts.flatMap(({ row, failures: mine }) =>
		mine.map((one) => `- row ${row.row}: ${one}`),
	);
	const head = '| # | fault | expected | seen |\n|---|---|---|---|';
	return [
		`${totals}.`,
		'',
		head,
		...lines,
		...(failures.length > 0 ? ['', 'Failed:', ...failures] : []),
	].join('\n');
}

/** The tests in vitest's JSON report of a run; none if it was never written, so that its rows fail. */
export function seenIn(report: string, root: string): readonly Seen[] {
	const files = readReport(report)?.testResults ?? [];
	return files.flatMap(({ name, status: whole, assertionResults }) => {
		const file = name.replaceAll('\\', '/').replace(`${root.replaceAll('\\', '/')}/`, '');
		// All its tests skipped themselves; a file that could not be loaded has failed instead.
		if (assertionResults.length === 0 && whole !== 'failed')
			return [{ file, name: '', passed: false, skipped: true }];
		return assertionResults.map(({ fullName, status }) => ({
			file,
			name: fullName,
			passed: status === 'passed',
			skipped: status === 'pending' || status === 'skipped' || status === 'todo',
		}));
	});
}
