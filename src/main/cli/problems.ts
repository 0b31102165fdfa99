import { typed } from '#main/lib/own-program.ts';
import en from '#shared/i18n/en.json' with { type: 'json' };
import { INTERPRETER } from '#shared/models/choose-models.ts';
import {
	errorsOf,
	type FieldProblem,
	furtherErrors,
	type Problem,
	type ProblemOf,
	type ServiceErrorRecord,
} from '#shared/problem.ts';
import { isLoopback } from '#shared/service-address.ts';

const sentences: Readonly<Record<string, string>> = en.problem;

/** One English sentence, followed by the service's own message, if any. */
export function wordsOf(problem: Problem): string {
	if (problem.kind === 'voice-invalid') return problem.fields.map(wordsOfField).join(' ');
	if (problem.kind === 'service-unreachable' && problem.host)
		return `The service cannot be reached at ${problem.host} (${problem.cause}).`;
	if (problem.kind === 'models-missing' && problem.pair === INTERPRETER)
		return `This computer lacks the interpreter. Get it with: ${typed.cli} models add ${INTERPRETER}`;
	if (problem.kind === 'models-missing')
		return `This computer lacks models for ${problem.pair}. Get them with: ${typed.cli} models add ${problem.pair}`;
	if (problem.kind === 'not-found' && problem.name !== undefined)
		return `There is no ${problem.what} "${problem.name}".`;
	// Not the app's sentence, because a command leaves the file where it is.
	if (problem.kind === 'settings-unreadable')
		return `The settings file (${problem.keptAs}) cannot be read: its last good copy is used, or the defaults where there is none.`;
	const sentence = sentences[problem.kind] ?? problem.kind;
	const values: Record<string, unknown> = { ...problem, seconds: secondsOf(problem) };
	const filled = `${fill(sentence, values)}${whyUnsaved(problem)}`;
	const said = [saidBy(problem), codeOf(problem)].filter((text) => text !== '').join('; ');
	return said === '' ? filled : `${filled} (${said})`;
}

/** Explains the error code of the system to the user who named the folder. */
function whyUnsaved(problem: Problem): string {
	if (problem.kind !== 'storage-failed') return '';
	if (/\b(?:EROFS|EACCES|EPERM)\b/.test(problem.what))
		return ' The folder is read-only for you: name another one.';
	return /\b(?:ENOSPC|EDQUOT)\b/.test(problem.what) ? ' The disk is full: make room.' : '';
}

function fill(sentence: string, values: Readonly<Record<string, unknown>>): string {
	return sentence.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** The service's own error code, for support. */
function codeOf(problem: Problem): string {
	return 'code' in problem && problem.code ? `code ${problem.code}` : '';
}

/** A problem as `--json` has it; `status` is the exit status that belongs to it. */
export function problemDocument(problem: Problem, message: string, status: number): Record<string, unknown> {
	const lines = problem.kind === 'table-invalid' ? { lines: problem.lines, more: problem.more } : {};
	return { kind: problem.kind, message, code: status, ...lines, ...errorDocuments(problem) };
}

/** `errors` as the service sent them; absent if it sent none. */
export function errorDocuments(problem: Problem): { readonly errors?: readonly unknown[] } {
	const errors = errorsOf(problem).map(({ code, ...record }) => ({
		...record,
		...(code !== undefined && { error_code: code }),
	}));
	return errors.length > 0 ? { errors } : {};
}

/** One line for each record of the service; none if the sentence already contains everything. */
export function detailLines(problem: Problem): readonly string[] {
	if (problem.kind === 'table-invalid') return tableLines(problem);
	return furtherErrors(problem).map(lineOfRecord);
}

function tableLines({ lines, more }: ProblemOf<'table-invalid'>): readonly string[] {
	const said = lines.map(({ line, reason }) => {
		const fault = en.table.fault[reason];
		return line === 0 ? fault : fill(en.table.line, { line, fault });
	});
	return more > 0 ? [...said, fill(en.table.moreFaults, { number: more })] : said;
}

function lineOfRecord({ title, detail, code, type, instance, field }: ServiceErrorRecord): string {
	const words = [title, detail].filter((text) => text !== undefined).join(': ');
	const facts = [
		code && `code ${code}`,
		field && `field ${field}`,
		type && `type ${type}`,
		instance && `instance ${instance}`,
	].filter((fact) => fact);
	return [words, ...facts].filter((part) => part !== '').join('; ');
}

function wordsOfField({ field, reason }: FieldProblem): string {
	const reasons: Readonly<Record<string, string>> = en.voices.invalid[field];
	return reasons[reason] ?? `${field}: ${reason}`;
}

function secondsOf(problem: Problem): string {
	const ms = 'retryAfterMs' in problem ? problem.retryAfterMs : 'afterMs' in problem ? problem.afterMs : 0;
	// At least 1 s: a service may refuse without naming a time.
	return `${Math.max(1, Math.ceil(ms / 1000))} s`;
}

function saidBy(problem: Problem): string {
	if ('detail' in problem) return problem.detail;
	if (problem.kind === 'service-unreachable') return problem.cause;
	if (problem.kind === 'file-unreadable') return problem.reason;
	return problem.kind === 'unexpected-answer' || problem.kind === 'storage-failed' ? problem.what : '';
}

const HINTS: Partial<Readonly<Record<Problem['kind'], string>>> = {
	'api-key-missing':
		'Set DRAGOMAN_API_KEY or use --key-stdin; a key kept in the app cannot be read from here.',
	'key-elsewhere':
		'Only the settings of the app name it: to send the key there, name it with --api-url, --s2s-url, --stt-url or --tts-url, or their variables.',
	'proxy-login': 'HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT',
	'certificate-untrusted': 'Give the file of its certificate authority in NODE_EXTRA_CA_CERTS.',
};

/** How to find the right name, by the kind of thing that was not found. */
const LISTS: Readonly<Record<string, string>> = {
	session: `Those there are: ${typed.cli} sessions list`,
	glossary: `Those there are: ${typed.cli} glossaries list`,
	'single glossary with the name': 'Use its id.',
	voice: `There are default_low, default_high and your own: ${typed.cli} voices list`,
	model: `Those there are: ${typed.cli} models list`,
	conversation: `Those there are: ${typed.cli} history list`,
	'single conversation that begins with': 'Give more of its id.',
};

/** How to solve a problem on a command line; empty if the problem's own message explains it. */
export function hintFor(problem: Problem): string {
	if (problem.kind === 'socket-off')
		return `Give it with --${problem.socket}-url or DRAGOMAN_${problem.socket.toUpperCase()}_URL.`;
	if (problem.kind === 'service-unreachable' && problem.host) return reachHint(problem.cause, problem.host);
	if (problem.kind === 'model-damaged') return `Get it again with: ${typed.cli} models add ${problem.model}`;
	if (problem.kind === 'not-found') return LISTS[problem.what] ?? '';
	return HINTS[problem.kind] ?? '';
}

function reachHint(cause: string, host: string): string {
	if (cause === 'ERR_SSL_WRONG_VERSION_NUMBER')
		return 'What answers there does not encrypt: its address probably begins with http: (a socket with ws:).';
	const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
	return isLoopback(name)
		? `Check that the sandbox (${typed.sandbox}) is running there: without --port it takes another one each time.`
		: 'Check your internet connection, the proxy and the firewall.';
}
