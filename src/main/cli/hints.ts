import type { Problem } from '#shared/problem.ts';
import { isLoopback } from '#shared/service-address.ts';
import { NAME_IT_HINT } from './key-binding.ts';

const HINTS: Partial<Readonly<Record<Problem['kind'], string>>> = {
	'api-key-missing':
		'Set DRAGOMAN_API_KEY or use --key-stdin; a key kept in the app cannot be read from here.',
	'key-elsewhere': NAME_IT_HINT,
	'proxy-login': 'HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT',
	'certificate-untrusted': 'Give the file of its certificate authority in NODE_EXTRA_CA_CERTS.',
};

/** How to find the right name, by what was not found. */
const LISTS: Readonly<Record<string, string>> = {
	session: 'Those there are: npm run cli -- sessions list',
	glossary: 'Those there are: npm run cli -- glossaries list',
	'single glossary with the name': 'Use its id.',
	voice: 'There are default_low, default_high and your own: npm run cli -- voices list',
	model: 'Those there are: npm run cli -- models list',
	conversation: 'Those there are: npm run cli -- history list',
	'single conversation that begins with': 'Give more of its id.',
};

/** What to do about a problem, on a command line; empty where its own words say it. */
export function hintFor(problem: Problem): string {
	if (problem.kind === 'socket-off')
		return `Give it with --${problem.socket}-url or DRAGOMAN_${problem.socket.toUpperCase()}_URL.`;
	if (problem.kind === 'service-unreachable' && problem.host) return reachHint(problem.cause, problem.host);
	if (problem.kind === 'not-found') return LISTS[problem.what] ?? '';
	return HINTS[problem.kind] ?? '';
}

function reachHint(cause: string, host: string): string {
	if (cause === 'ERR_SSL_WRONG_VERSION_NUMBER')
		return 'What answers there does not encrypt: its address probably begins with http: (a socket with ws:).';
	const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
	return isLoopback(name)
		? 'Check that the sandbox (npm run sandbox) is running there: without --port it takes another one each time.'
		: 'Check your internet connection, the proxy and the firewall.';
}
