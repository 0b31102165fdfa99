import en from '#shared/i18n/en.json' with { type: 'json' };
import type { Problem } from '#shared/problem.ts';

const sentences: Readonly<Record<string, string>> = en.problem;

/** One English sentence, and what the service itself said, if anything. */
export function wordsOf(problem: Problem): string {
	const sentence = sentences[problem.kind] ?? problem.kind;
	const values: Record<string, unknown> = { ...problem, seconds: secondsOf(problem) };
	const filled = sentence.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''));
	const said = saidBy(problem);
	return said === '' ? filled : `${filled} (${said})`;
}

function secondsOf(problem: Problem): string {
	const ms = 'retryAfterMs' in problem ? problem.retryAfterMs : 'afterMs' in problem ? problem.afterMs : 0;
	return `${Math.ceil(ms / 1000)} s`;
}

function saidBy(problem: Problem): string {
	if ('detail' in problem) return problem.detail;
	if (problem.kind === 'service-unreachable') return problem.cause;
	if (problem.kind === 'file-unreadable') return problem.reason;
	return problem.kind === 'unexpected-answer' || problem.kind === 'storage-failed' ? problem.what : '';
}
