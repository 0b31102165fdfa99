import en from '#shared/i18n/en.json' with { type: 'json' };
import type { Problem } from '#shared/problem.ts';
import type { FieldProblem } from '#shared/voices/draft.ts';

const sentences: Readonly<Record<string, string>> = en.problem;

/** One English sentence, and what the service itself said, if anything. */
export function wordsOf(problem: Problem): string {
	if (problem.kind === 'voice-invalid') return problem.fields.map(wordsOfField).join(' ');
	if (problem.kind === 'service-unreachable' && problem.host)
		return `The service cannot be reached at ${problem.host} (${problem.cause}).`;
	if (problem.kind === 'not-found' && problem.name !== undefined)
		return `There is no ${problem.what} "${problem.name}".`;
	const sentence = sentences[problem.kind] ?? problem.kind;
	const values: Record<string, unknown> = { ...problem, seconds: secondsOf(problem) };
	const filled = sentence.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''));
	const said = [saidBy(problem), codeOf(problem)].filter((text) => text !== '').join('; ');
	return said === '' ? filled : `${filled} (${said})`;
}

/** For support, as the service named it. */
function codeOf(problem: Problem): string {
	return 'code' in problem && problem.code ? `code ${problem.code}` : '';
}

function wordsOfField({ field, reason }: FieldProblem): string {
	const reasons: Readonly<Record<string, string>> = en.voices.invalid[field];
	return reasons[reason] ?? `${field}: ${reason}`;
}

function secondsOf(problem: Problem): string {
	const ms = 'retryAfterMs' in problem ? problem.retryAfterMs : 'afterMs' in problem ? problem.afterMs : 0;
	// A service that refuses without a time leaves it open.
	return `${Math.max(1, Math.ceil(ms / 1000))} s`;
}

function saidBy(problem: Problem): string {
	if ('detail' in problem) return problem.detail;
	if (problem.kind === 'service-unreachable') return problem.cause;
	if (problem.kind === 'file-unreadable') return problem.reason;
	return problem.kind === 'unexpected-answer' || problem.kind === 'storage-failed' ? problem.what : '';
}
