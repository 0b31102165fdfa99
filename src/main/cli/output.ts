import { EXIT, type ExitStatus, exitStatusOf } from '#shared/exit-status.ts';
import type { Problem, ProblemKind } from '#shared/problem.ts';
import { hintFor } from './hints.ts';
import { detailLines, problemDocument, wordsOf } from './problem-words.ts';
import type { Terminal } from './terminal.ts';

/** Where a command speaks: its result on standard output, everything else on standard error. */
export interface Output {
	readonly json: boolean;
	/** The result of a command that ends with one: a JSON document with `--json`, else the lines. */
	result(document: unknown, lines: readonly string[]): void;
	/** Something happened while it runs: the object with `--json`, else the line, if any, on standard error. */
	event(document: object, line?: string): void;
	/** A line of the result of a command that is still running, without `--json`. */
	line(text: string): void;
	/** Remarks, for people. */
	note(text: string): void;
	/** A line that the next one overwrites and any other output removes; only where `isTerminal`. */
	status(text: string): void;
	/** Removes that line. */
	clear(): void;
	/** Standard error is a terminal. */
	readonly isTerminal: boolean;
	/**
	 * Writes a problem and what to do about it, in the form asked for; returns the exit status that belongs to it. With
	 * `--json` it is one document with what was done all the same, `beside`.
	 */
	problem(problem: Problem, beside?: object): ExitStatus;
	/** Says what is wrong with the command line, in the form asked for. */
	usage(sentence: string): ExitStatus;
	/** Says why it was not done, where the app knows no such problem; `kind` is for `--json`. */
	refusal(kind: string, sentence: string): ExitStatus;
}

/** On a command line these problems are about what was typed or left out; an address is nearly always the one given. */
const ABOUT_THE_LINE: ReadonlySet<ProblemKind> = new Set([
	'address-refused',
	'port-refused',
	'language-missing',
	'languages-same',
	'socket-off',
]);

const WRITE_OVER = '\r\u001b[K';

export interface OutputOptions {
	readonly json: boolean;
	/** With `json`, each document is on a line of its own. */
	readonly isStream?: boolean;
	/** The topic whose help is offered. */
	readonly topic?: string;
}

export function createOutput(
	terminal: Pick<Terminal, 'out' | 'error' | 'isErrorTerminal'>,
	{ json, isStream = false, topic = '' }: OutputOptions,
): Output {
	const isTerminal = terminal.isErrorTerminal === true;
	let isShown = false;

	function clear(): void {
		if (isShown) terminal.error(WRITE_OVER);
		isShown = false;
	}

	function note(text: string): void {
		clear();
		terminal.error(`${printable(text)}\n`);
	}

	function document(content: unknown): void {
		clear();
		terminal.out(`${isStream ? JSON.stringify(content) : JSON.stringify(content, null, 2)}\n`);
	}

	return {
		json,
		isTerminal,
		clear,
		note,
		result(content, lines) {
			if (json) return document(content);
			clear();
			terminal.out(lines.map((line) => `${line}\n`).join(''));
		},
		event(content, line) {
			if (json) document(content);
			else if (line !== undefined) note(line);
		},
		line(text) {
			if (json) return;
			clear();
			terminal.out(`${printable(text)}\n`);
		},
		status(text) {
			if (!isTerminal) return;
			terminal.error(`${WRITE_OVER}${text}`);
			isShown = true;
		},
		problem(problem, beside = {}) {
			const message = [wordsOf(problem), hintFor(problem)].filter((words) => words !== '').join(' ');
			const code = ABOUT_THE_LINE.has(problem.kind) ? EXIT.usage : exitStatusOf(problem);
			if (json) document({ ...beside, error: problemDocument(problem, message, code) });
			else for (const line of [message, ...detailLines(problem).map((it) => `  ${it}`)]) note(line);
			return code;
		},
		usage(sentence) {
			clear();
			const code = EXIT.usage;
			if (json) document({ error: { kind: 'usage', message: sentence, code } });
			else terminal.error(`${sentence}\nTry: npm run cli -- ${[topic, '--help'].join(' ').trim()}\n`);
			return code;
		},
		refusal(kind, sentence) {
			const code = EXIT.failed;
			if (json) document({ error: { kind, message: sentence, code } });
			else note(sentence);
			return code;
		},
	};
}

/** Control characters shown, not obeyed: texts come from outside. */
export function printable(text: string): string {
	return text.replace(/\p{Cc}/gu, '\uFFFD');
}

/** Columns as wide as their widest cell, two spaces apart; control characters shown, not obeyed. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
	const clean = rows.map((row) => row.map(printable));
	const widths = (clean[0] ?? []).map((_, column) =>
		Math.max(...clean.map((row) => cellsOf(row[column] ?? ''))),
	);
	return clean.map((row) =>
		row
			.map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - cellsOf(cell))))
			.join('  ')
			.trimEnd(),
	);
}

/** How many cells of a terminal a text takes: Chinese, Japanese and Korean letters take two, marks over others none. */
function cellsOf(text: string): number {
	let cells = 0;
	for (const letter of text) {
		if (/[\p{M}\p{Cf}]/u.test(letter)) continue;
		cells +=
			/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u.test(
				letter,
			)
				? 2
				: 1;
	}
	return cells;
}
