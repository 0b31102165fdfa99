import { parseArgs } from 'node:util';
import type { Segment } from '#shared/captions/segment.ts';
import type { ExitStatus } from '#shared/exit-status.ts';
import type { Problem } from '#shared/problem.ts';
import type { Terminal } from './context.ts';
import { hintFor } from './hints.ts';
import { statusOf } from './output.ts';
import { detailLines, problemDocument, wordsOf } from './problem-words.ts';
import { createProgress, type Progress } from './progress.ts';
import { type StreamValues, streamOptions } from './stream-context.ts';
import { wrongLevel, wrongLine } from './wrong-line.ts';

/** Where a running command speaks: with `--json` one object a line. */
export interface Running {
	readonly progress: Progress;
	readonly json: boolean;
	/** Something happened: the object with `--json`, else the line, if any, on standard error. */
	event(document: object, line?: string): void;
	/** A line of the result, without `--json`. */
	line(text: string): void;
	note(text: string): void;
	problem(problem: Problem): ExitStatus;
}

export function createRunning(
	terminal: Terminal,
	options: { readonly json: boolean; readonly what: string },
): Running {
	const { json } = options;
	const progress = createProgress(terminal, options.what);

	function note(text: string): void {
		progress.clear();
		terminal.error(`${printable(text)}\n`);
	}

	return {
		progress,
		json,
		event(document, line) {
			if (json) terminal.out(`${JSON.stringify(document)}\n`);
			else if (line !== undefined) note(line);
		},
		line(text) {
			if (json) return;
			progress.clear();
			terminal.out(`${printable(text)}\n`);
		},
		note,
		problem(problem) {
			const hint = hintFor(problem);
			const message = hint === '' ? wordsOf(problem) : `${wordsOf(problem)} ${hint}`;
			const code = statusOf(problem);
			progress.clear();
			if (json) terminal.out(`${JSON.stringify({ error: problemDocument(problem, message, code) })}\n`);
			else {
				terminal.error(`${printable(message)}\n`);
				for (const line of detailLines(problem)) terminal.error(`  ${printable(line)}\n`);
			}
			return code;
		},
	};
}

/** Control characters shown, not obeyed: texts come from outside. */
function printable(text: string): string {
	return text.replace(/\p{Cc}/gu, '\uFFFD');
}

/** A caption as an object of a line, times in whole ms. */
export function captionEvent({
	kind,
	transcriptionId,
	partId,
	language,
	text,
	startMs,
	endMs,
}: Segment): object {
	return { type: kind, id: transcriptionId, part: partId, language, text, start_ms: startMs, end_ms: endMs };
}

type Extra = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

/** Options and arguments; a sentence when the command line cannot be meant. */
export function parseStream(
	args: readonly string[],
	extra: Extra,
): { readonly values: StreamValues; readonly positionals: readonly string[] } | string {
	try {
		const options = { ...streamOptions, ...extra };
		const { values, positionals } = parseArgs({
			args: [...args],
			options,
			allowPositionals: true,
			strict: true,
		});
		return wrongLevel(values['log-level']) || { values: values as StreamValues, positionals };
	} catch (thrown) {
		return wrongLine(thrown);
	}
}

/** The value of an option that takes one; empty when it was not given. */
export function optionOf(values: StreamValues, name: string): string {
	const value = values[name];
	return typeof value === 'string' ? value : '';
}

/** `es,fr` as codes, lower case, each once. */
export function codesOf(list: string): readonly string[] {
	const codes = list.split(',').map((code) => code.trim().toLowerCase());
	return [...new Set(codes.filter((code) => code !== ''))];
}
