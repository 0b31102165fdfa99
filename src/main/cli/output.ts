import { typed } from '#main/lib/own-program.ts';
import type { UploadProgress } from '#main/voices/sample-upload.ts';
import { EXIT, type ExitStatus, exitStatusOf } from '#shared/exit-status.ts';
import type { Problem, ProblemKind } from '#shared/problem.ts';
import { detailLines, hintFor, problemDocument, wordsOf } from './problems.ts';
import type { Terminal } from './terminal.ts';

/** These problems concern what was typed; on a command line an address is nearly always the user's. */
const ABOUT_THE_LINE: ReadonlySet<ProblemKind> = new Set([
	'address-refused',
	'port-refused',
	'language-missing',
	'languages-same',
	'socket-off',
]);

const WRITE_OVER = '\r\u001b[K';

interface OutputOptions {
	readonly json: boolean;
	/** With `json`, each document is on a line of its own. */
	readonly isStream?: boolean;
	/** The topic whose help is offered. */
	readonly topic?: string;
}

export type Output = ReturnType<typeof createOutput>;

/** The output of a command: its result on standard output, everything else on standard error. */
export function createOutput(
	terminal: Pick<Terminal, 'out' | 'error' | 'isErrorTerminal'>,
	{ json, isStream = false, topic = '' }: OutputOptions,
) {
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
		/** True if standard error is a terminal. */
		isTerminal,
		/** Removes the status line. */
		clear,
		note,
		/** The result of a command that ends with one: a JSON document with `--json`, else the lines. */
		result(content: unknown, lines: readonly string[]): void {
			if (json) {
				document(content);
				return;
			}
			clear();
			terminal.out(lines.map((line) => `${line}\n`).join(''));
		},
		/** Reports an event of a running command: the object with `--json`, else the line on standard error. */
		event(content: object, line?: string): void {
			if (json) document(content);
			else if (line !== undefined) note(line);
		},
		/** A line of the result of a command that is still running, without `--json`. */
		line(text: string): void {
			if (json) return;
			clear();
			terminal.out(`${printable(text)}\n`);
		},
		/** A status line, which the next one overwrites and any other output removes; only if `isTerminal`. */
		status(text: string): void {
			if (!isTerminal) return;
			terminal.error(`${WRITE_OVER}${text}`);
			isShown = true;
		},
		/** Writes a problem and what to do about it; returns the exit status. `beside`: what was done (`--json`). */
		problem(problem: Problem, beside: object = {}): ExitStatus {
			const message = [wordsOf(problem), hintFor(problem)].filter((words) => words !== '').join(' ');
			const code = ABOUT_THE_LINE.has(problem.kind) ? EXIT.usage : exitStatusOf(problem);
			if (json) document({ ...beside, error: problemDocument(problem, message, code) });
			else for (const line of [message, ...detailLines(problem).map((it) => `  ${it}`)]) note(line);
			return code;
		},
		/** Reports an error in the command line, in the form asked for. */
		usage(sentence: string): ExitStatus {
			clear();
			const code = EXIT.usage;
			if (json) document({ error: { kind: 'usage', message: sentence, code } });
			else terminal.error(`${sentence}\nTry: ${typed.cli} ${[topic, '--help'].join(' ').trim()}\n`);
			return code;
		},
		/** Prints a failure for which the app has no `Problem`; `kind` is for `--json`. */
		refusal(kind: string, sentence: string): ExitStatus {
			const code = EXIT.failed;
			if (json) document({ error: { kind, message: sentence, code } });
			else note(sentence);
			return code;
		},
	};
}

/** Makes control characters visible, because texts come from outside. */
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

/** Width of a text in terminal cells: Chinese, Japanese and Korean letters take two, combining marks none. */
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

const WIDTH = 30;
const BAR_EVERY_MS = 200;
const LINE_EVERY_MS = 10_000;

type StatusLine = Pick<Output, 'isTerminal' | 'note' | 'status'>;

/** Progress of a command, on standard error: a bar if the line can be overwritten, else a line now and then. */
export function createProgress(output: StatusLine, what: string) {
	const isBar = output.isTerminal;
	let lastMs = Number.NEGATIVE_INFINITY;

	return {
		/** `totalMs` null = unknown. */
		at(doneMs: number, totalMs: number | null): void {
			const stepMs = isBar ? BAR_EVERY_MS : LINE_EVERY_MS;
			if (doneMs - lastMs < stepMs && !(isBar && doneMs === totalMs)) return;
			if (!isBar && !Number.isFinite(lastMs)) {
				lastMs = doneMs;
				return;
			}
			lastMs = doneMs;
			const text = `${what} ${describe(doneMs, totalMs, isBar)}`;
			if (isBar) output.status(text);
			else output.note(text);
		},
	};
}

function describe(doneMs: number, totalMs: number | null, isBar: boolean): string {
	if (totalMs === null || totalMs <= 0) return minutes(doneMs);
	const share = Math.min(1, doneMs / totalMs);
	return `${isBar ? `${bar(share)} ` : ''}${Math.floor(share * 100)} % (${minutes(doneMs)} of ${minutes(totalMs)})`;
}

function minutes(ms: number): string {
	const seconds = Math.floor(ms / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Progress of a file; `what` names the direction. A bar, or a line for each quarter. */
export function createTransferProgress(
	output: StatusLine,
	what: string,
): { show(progress: UploadProgress): void } {
	let quarters = 0;

	return {
		show(progress) {
			const share = progress.totalBytes > 0 ? progress.sentBytes / progress.totalBytes : 0;
			const facts = `${Math.floor(share * 100)} % (${transferFacts(progress)})`;
			if (output.isTerminal) {
				output.status(`${what} ${bar(share)} ${facts}`);
				return;
			}
			const now = Math.floor(share * 4);
			// A retry begins at 0 again.
			if (now < quarters) quarters = now;
			if (now === quarters) return;
			quarters = now;
			output.note(`${what} ${facts}`);
		},
	};
}

function transferFacts({ sentBytes, totalBytes, bytesPerS, secondsLeft }: UploadProgress): string {
	const facts = [`${megabytes(sentBytes)} of ${megabytes(totalBytes)} MB`];
	if (bytesPerS > 0) facts.push(`${megabytes(bytesPerS)} MB/s`);
	if (secondsLeft !== null) facts.push(`${secondsLeft} s left`);
	return facts.join(', ');
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);

function bar(share: number): string {
	const full = Math.round(share * WIDTH);
	return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}]`;
}

const local = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

/** `2026-11-21 14:03:07` in local time; `at` is Unix ms. */
export function localTime(at: number | null): string {
	return at === null ? 'unknown' : local.format(at);
}

/** `1 d 3 h`, `9 min 40 s`, `expired`. */
export function timeLeft(expiresAt: number | null, now: number): string {
	if (expiresAt === null) return 'unknown';
	const seconds = Math.floor((expiresAt - now) / 1000);
	if (seconds <= 0) return 'expired';
	const units = [
		[86_400, 'd'],
		[3600, 'h'],
		[60, 'min'],
		[1, 's'],
	] as const;
	const first = units.findIndex(([size]) => seconds >= size);
	let rest = seconds;
	const parts: string[] = [];
	for (const [size, name] of units.slice(first, first + 2)) {
		const count = Math.floor(rest / size);
		rest -= count * size;
		if (count > 0) parts.push(`${count} ${name}`);
	}
	return parts.join(' ');
}

/** `2026-11-21T14:03:07Z` for JSON; Unix ms in. */
export function isoTime(at: number | null): string | null {
	if (at === null) return null;
	const utc = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: 'UTC' });
	return `${utc.format(at).replace(' ', 'T')}Z`;
}
