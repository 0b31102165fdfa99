import { wordsOf } from '#main/cli/problems.ts';
import { homeFolder, userDataFolder } from '#main/lib/files.ts';
import { missingPair, modelsFolder } from '#main/models/models.ts';
import { PUBLIC_REST_BASE, parseAllowedHosts } from '#main/service/addresses.ts';
import { createSessionClient } from '#main/service/session-client.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { EXIT, type ExitStatus, exitStatusOf } from '#shared/exit-status.ts';
import { silentLogger } from '#shared/lib/log.ts';
import type { Problem } from '#shared/problem.ts';
import type { DemoOptions } from './options.ts';

/** The service a run talks to. */
export interface Service {
	readonly kind: 'sandbox' | 'service' | 'local';
	readonly api: string;
	/** The environment for the app. */
	readonly env: Readonly<Record<string, string>>;
	/** Sessions ever created and deleted; absent if the service itself cannot report them. */
	counts?(): { readonly created: number; readonly deleted: number };
}

export interface Refusal {
	readonly status: ExitStatus;
	readonly words: string;
}

/**
 * The service of DRAGOMAN_API_URL and DRAGOMAN_API_KEY, checked with one free call, so that a wrong key or a
 * dead address is reported at once; null if none is named. The call uses the app's own client, so the key
 * goes nowhere the app would not send it.
 */
export async function checkService(
	env: NodeJS.ProcessEnv,
	signal?: AbortSignal,
): Promise<Service | Refusal | null> {
	const [named, key] = [env.DRAGOMAN_API_URL, env.DRAGOMAN_API_KEY];
	if (!named && !key) return null;
	const api = (named || PUBLIC_REST_BASE).replace(/\/+$/, '');
	if (!key)
		return { status: EXIT.credential, words: 'DRAGOMAN_API_URL is set, but DRAGOMAN_API_KEY is not.' };
	const client = createSessionClient({
		fetch: globalThis.fetch,
		clock: createSystemClock(),
		random: Math.random,
		log: silentLogger,
		baseUrl: () => api,
		key: () => key,
		allowedHosts: () => parseAllowedHosts(env.DRAGOMAN_ALLOWED_HOSTS ?? ''),
	});
	const answer = await client.checkKey(signal);
	if (answer.ok) return { kind: 'service', api, env: {} };
	return refusalOf(answer.error, withoutPassword(api));
}

/** This computer's interpreter, if its models are installed; else null, or a refusal with `--local`. */
export function localService(options: DemoOptions, env: NodeJS.ProcessEnv): Service | Refusal | null {
	const machine = { platform: process.platform, home: homeFolder(), env };
	const folder = modelsFolder(userDataFolder(machine), env, options.models ?? undefined);
	const missing = missingPair(folder, options.from, options.to);
	if (missing === null)
		return { kind: 'local', api: '', env: { DRAGOMAN_SERVICE: 'local', DRAGOMAN_MODELS: folder } };
	if (!options.local) return null;
	return {
		status: EXIT.notFound,
		words: wordsOf({ kind: 'models-missing', pair: missing }),
	};
}

function refusalOf(problem: Problem, api: string): Refusal {
	switch (problem.kind) {
		case 'address-refused':
			return {
				status: EXIT.usage,
				words: `DRAGOMAN_API_URL is not an address the key may be sent to: ${api}. It must be https:, or http: on this computer, without a name, a question mark or a fragment in it.`,
			};
		case 'port-refused':
			return {
				status: EXIT.usage,
				words: `DRAGOMAN_API_URL names port ${problem.port}, which is kept for another kind of service and refused by browsers and Node: ${api}. Name another one.`,
			};
		case 'api-key-rejected':
			return { status: EXIT.credential, words: `${api} refuses the key (${problem.status}).` };
		case 'service-unreachable':
			return { status: EXIT.network, words: `${api} cannot be reached (${problem.cause}).` };
		case 'key-characters':
			return {
				status: EXIT.credential,
				words: `The key has a character that no key has (${problem.character}, at position ${problem.position}); it was not sent.`,
			};
		case 'certificate-untrusted':
			return {
				status: EXIT.network,
				words: `${api} shows a certificate that is not trusted here (${problem.cause}); name its authority with NODE_EXTRA_CA_CERTS.`,
			};
		case 'service-failed':
			return { status: exitStatusOf(problem), words: `${api} answers with ${problem.status}.` };
		case 'not-the-service':
			return {
				status: exitStatusOf(problem),
				words: `A web page or a redirect (${problem.status}) came in place of an answer of ${api}: sign in to this network, or ask whoever runs its filter.`,
			};
		case 'proxy-login':
			return {
				status: exitStatusOf(problem),
				words: `The proxy on the way to ${api} requires a name and a password: HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT.`,
			};
		case 'unexpected-answer':
			return { status: EXIT.failed, words: `${api} does not answer as the service does (${problem.what}).` };
		default:
			return { status: exitStatusOf(problem), words: `${api} does not let us in: ${problem.kind}.` };
	}
}

/** Removes a password from an address, because addresses are shown on the screen and logged. */
function withoutPassword(address: string): string {
	return address.replace(/\/\/[^/?#]*@/, '//…@');
}
