/** The service a run talks to. */
export interface Service {
	readonly kind: 'sandbox' | 'service';
	readonly api: string;
	/** What the app is given. */
	readonly env: Readonly<Record<string, string>>;
	/** Sessions ever created and deleted, where the service itself can be asked. */
	counts?(): { readonly created: number; readonly deleted: number };
}

export interface Refusal {
	/** Exit status (interfaces.md 3). */
	readonly status: number;
	readonly words: string;
}

const PUBLIC = 'https://api.palabra.ai';
const LIMIT_MS = 15_000;

/**
 * The service of DRAGOMAN_API_URL and DRAGOMAN_API_KEY, asked once with a call that costs nothing so
 * that a wrong key or a dead address is told at once; null when none is named.
 */
export async function checkService(env: NodeJS.ProcessEnv): Promise<Service | Refusal | null> {
	const { DRAGOMAN_API_URL: named, DRAGOMAN_API_KEY: key } = env;
	if (!named && !key) return null;
	const api = (named || PUBLIC).replace(/\/+$/, '');
	if (!key) return { status: 3, words: 'DRAGOMAN_API_URL is set, but DRAGOMAN_API_KEY is not.' };
	if (!URL.canParse(api)) return { status: 2, words: `DRAGOMAN_API_URL is no address: ${api}` };
	try {
		const answer = await fetch(`${api}/session-storage/sessions?page_size=1`, {
			headers: { authorization: `Bearer ${key}` },
			signal: AbortSignal.timeout(LIMIT_MS),
		});
		await answer.body?.cancel();
		if (answer.status === 401 || answer.status === 403) {
			return { status: 3, words: `${api} refuses the key (${answer.status}).` };
		}
		if (answer.status >= 500) return { status: 6, words: `${api} answers with ${answer.status}.` };
	} catch {
		return { status: 6, words: `${api} cannot be reached.` };
	}
	return { kind: 'service', api, env: {} };
}
