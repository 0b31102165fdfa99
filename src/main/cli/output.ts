import { EXIT, type ExitStatus, exitStatusOf } from '#shared/exit-status.ts';
import type { Problem, ProblemKind } from '#shared/problem.ts';
import { detailLines, problemDocument, wordsOf } from './problem-words.ts';

/** Where a command speaks: its result on standard output, everything else on standard error. */
export interface Output {
	/** The result: a JSON document with `--json`, else the lines. */
	result(document: unknown, lines: readonly string[]): void;
	/** Progress and remarks, for people. */
	note(line: string): void;
	/** Says a problem in the form asked for; gives the exit status that belongs to it. */
	problem(problem: Problem, hint?: string): ExitStatus;
}

export interface Streams {
	readonly out: (text: string) => void;
	readonly error: (text: string) => void;
}

/** On a command line these are about what was typed, or left out; an address is nearly always the one given. */
const ABOUT_THE_LINE: ReadonlySet<ProblemKind> = new Set([
	'address-refused',
	'port-refused',
	'language-missing',
	'languages-same',
	'socket-off',
]);

export function statusOf(problem: Problem): ExitStatus {
	return ABOUT_THE_LINE.has(problem.kind) ? EXIT.usage : exitStatusOf(problem);
}

export function createOutput(streams: Streams, { json }: { readonly json: boolean }): Output {
	return {
		result(document, lines) {
			streams.out(
				json ? `${JSON.stringify(document, null, 2)}\n` : lines.map((line) => `${line}\n`).join(''),
			);
		},
		note: (line) => streams.error(`${line}\n`),
		problem(problem, hint = '') {
			const message = hint === '' ? wordsOf(problem) : `${wordsOf(problem)} ${hint}`;
			const code = statusOf(problem);
			if (json)
				streams.out(`${JSON.stringify({ error: problemDocument(problem, message, code) }, null, 2)}\n`);
			else {
				streams.error(`${message}\n`);
				for (const line of detailLines(problem)) streams.error(`  ${line}\n`);
			}
			return code;
		},
	};
}

/** Columns as wide as their widest cell, two spaces apart; control characters shown, not obeyed. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
	const clean = rows.map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, '\uFFFD')));
	const widths = (clean[0] ?? []).map((_, column) =>
		Math.max(...clean.map((row) => row[column]?.length ?? 0)),
	);
	return clean.map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join('  ')
			.trimEnd(),
	);
}
