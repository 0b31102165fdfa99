import { createSessionClient, type SessionAccount, type SessionFacts } from '#main/service/session-client.ts';
import type { Ledger, LedgerEntry } from '#main/sessions/ledger.ts';
import { createSessionKeeper } from '#main/sessions/session-keeper.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from './manual-clock.ts';

/** What a bad network and a busy service do to one request. `after`: the service has acted, but the answer is lost. */
export const MISHAPS = [
	...(['refused', 'reset-before', 'reset-after', '500-before', '500-after', '503-wait', '429-wait'] as const),
	...(['429', 'hang-before', 'hang-after', 'cut-after', 'html-after', 'slow'] as const),
];

/** The fault of one request. */
export type Mishap = (typeof MISHAPS)[number] | 'none' | '429-long-wait' | '403' | '404';

export interface PretendSession {
	readonly id: string;
	readonly foreign: boolean;
	readonly createdAt: number;
	expiresAt: number;
	/** The id reached the client in a whole answer, and the client lived on (the test says so). */
	delivered: boolean;
	/** A delete was tried, whether it got through or not. */
	deleteTried: boolean;
}

export interface PretendService {
	readonly fetch: typeof globalThis.fetch;
	readonly sessions: Map<string, PretendSession>;
	readonly requests: () => number;
	/** Sessions ever created by this client, whether it received the answer or not. */
	readonly made: () => number;
	/** The session that a publisher token opens. */
	idOf(token: string): string;
	/** Create calls under way. */
	readonly creating: () => number;
	/** Deletes and extensions of sessions that are not this client's. */
	readonly trespasses: () => number;
	/** The session in the answer to a create. */
	toldBy(response: Response): PretendSession | undefined;
	addForeign(): void;
	/** Its time: this computer's may be wrong by `skewMs`. */
	now(): number;
}

/** Status, code and headers of the answers to requests that are not carried out. */
const REFUSALS: { readonly [M in Mishap]?: readonly [number, number, Record<string, string>?] } = {
	'403': [403, 1],
	'404': [404, 100040],
	'429': [429, 1],
	'429-wait': [429, 1, { 'retry-after': '3' }],
	'429-long-wait': [429, 1, { 'retry-after': '45' }],
	'500-before': [500, 1],
	'503-wait': [503, 1, { 'retry-after': '7' }],
};

/** The session endpoints on a manual clock: small, and as unreliable as `next` says. */
export function createPretendService(
	clock: Clock,
	parts: {
		readonly next: () => Mishap;
		/** Latency of the next request, ms. */
		readonly latencyMs: () => number;
		readonly skewMs: number;
		readonly limit: number;
		readonly lifeMs: number;
		/** Lifetime claimed in the publisher tokens; without it they are no JWT. */
		readonly tokenLifeMs?: number | undefined;
	},
): PretendService {
	const sessions = new Map<string, PretendSession>();
	const idOf = new Map<string, string>();
	const told = new WeakMap<Response, PretendSession>();
	let requests = 0;
	let madeCount = 0;
	let creating = 0;
	let trespasses = 0;
	let counter = 0;
	const now = () => clock.wall() + parts.skewMs;

	function live(): PretendSession[] {
		for (const session of sessions.values()) if (session.expiresAt <= now()) sessions.delete(session.id);
		return [...sessions.values()];
	}

	function add(foreign: boolean): PretendSession {
		const id = `${foreign ? 'foreign' : 'ours'}.${++counter}`;
		const session = {
			id,
			foreign,
			createdAt: now(),
			expiresAt: now() + parts.lifeMs,
			delivered: false,
			deleteTried: false,
		};
		sessions.set(id, session);
		return session;
	}

	function iso(at: number): string {
		return new Date(at).toISOString().replace(/\.\d+Z/, 'Z');
	}

	function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
		const text = body === undefined ? null : JSON.stringify(body);
		return new Response(text, { status, headers: { date: new Date(now()).toUTCString(), ...headers } });
	}

	function token(id: string): string {
		const claims = { jti: id, exp: Math.floor((now() + (parts.tokenLifeMs ?? 0)) / 1000) };
		const jwt = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sign`;
		const made = parts.tokenLifeMs === undefined ? id : jwt;
		idOf.set(made, id);
		return made;
	}

	function write(session: PretendSession): unknown {
		const { id, createdAt, expiresAt } = session;
		return { id, created_at: iso(createdAt), updated_at: iso(createdAt), expires_at: iso(expiresAt) };
	}

	/** Carries out the request, and returns what a healthy service would answer. */
	function act(method: string, url: URL): { response: Response; made: PretendSession | null } {
		const all = live();
		if (url.pathname === '/session-storage/session') {
			if (all.length >= parts.limit) return { response: json(403, error(403, 100060)), made: null };
			const made = add(false);
			madeCount++;
			const data = {
				id: made.id,
				publisher: token(made.id),
				webrtc_url: 'wss://media.example.com/',
				intent: 'api',
			};
			return { response: json(201, { ok: true, data }), made };
		}
		if (url.pathname === '/session-storage/sessions') {
			return { response: json(200, { data: all.map(write), next_page_token: '' }), made: null };
		}
		const session = sessions.get(decodeURIComponent(url.pathname.split('/').at(-1) ?? ''));
		if (!session) return { response: json(404, error(404, 100040)), made: null };
		if (method === 'GET') return { response: json(200, { data: write(session) }), made: null };
		if (session.foreign) trespasses++;
		if (method === 'DELETE') sessions.delete(session.id);
		else session.expiresAt = now() + Number(url.searchParams.get('ttl_seconds')) * 1000;
		return { response: json(204, undefined), made: null };
	}

	function error(status: number, code: number): unknown {
		return {
			ok: false,
			errors: [{ type: 'about:x', status, title: 'Refused', detail: 'No reason', error_code: code }],
		};
	}

	function fail(code: string): never {
		throw Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) });
	}

	function never(signal: AbortSignal | null | undefined): Promise<never> {
		return new Promise((_, reject) => {
			if (signal?.aborted) return reject(signal.reason);
			signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
		});
	}

	async function fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
		requests++;
		const url = new URL(String(input));
		const method = init.method ?? 'GET';
		const target = sessions.get(decodeURIComponent(url.pathname.split('/').at(-1) ?? ''));
		if (method === 'DELETE' && target) target.deleteTried = true;
		const mishap = parts.next();
		if (mishap === 'refused') return fail('ECONNREFUSED');
		if (mishap === 'reset-before') return fail('ECONNRESET');
		if (mishap === 'hang-before') return await never(init.signal);
		const refusal = REFUSALS[mishap];
		if (refusal) {
			const [status, code, headers] = refusal;
			return json(status, error(status, code), headers);
		}
		const takesMs = mishap === 'slow' ? 4000 : parts.latencyMs();
		await new Promise<void>((done) => void clock.after(takesMs, done));
		const { response, made } = act(method, url);
		switch (mishap) {
			case 'reset-after':
				return fail('ECONNRESET');
			case 'hang-after':
				return await never(init.signal);
			case '500-after':
				return json(500, error(500, 1));
			case 'html-after':
				return new Response('<html>', { status: response.status === 204 ? 200 : response.status });
			case 'cut-after': {
				const body = new ReadableStream({ start: (control) => control.error(new Error('cut')) });
				return new Response(body, { status: 200 });
			}
			default:
				if (made) told.set(response, made);
				return response;
		}
	}

	async function counted(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
		const isCreate = new URL(String(input)).pathname === '/session-storage/session';
		if (isCreate) creating++;
		const answer = fetch(input, init);
		void answer.catch(() => {}).finally(() => isCreate && creating--);
		// What was sent reaches the service; a client that aborts is told at once.
		return await Promise.race([answer, never(init.signal)]);
	}

	return {
		fetch: counted as typeof globalThis.fetch,
		sessions,
		requests: () => requests,
		made: () => madeCount,
		creating: () => creating,
		idOf: (token) => idOf.get(token) ?? '',
		trespasses: () => trespasses,
		toldBy: (response) => told.get(response),
		addForeign: () => void add(true),
		now,
	};
}

/** The service's time, Unix ms, unless a test says another. */
export const SERVER_NOW = 1_800_000_000_000;

/** An account that answers as a test says and records what it was asked. */
export function createScriptedAccount(answers: Partial<SessionAccount> = {}) {
	const asked: string[] = [];
	const list = async () => ok({ sessions: [] as readonly SessionFacts[], complete: true });
	const whole: SessionAccount = {
		hash: (salt) => (salt === '' ? 'mine' : `mine-${salt}`),
		create: async () =>
			ok({ id: 'made', webrtcUrl: 'wss://room.example', publisher: 'token', tokenExpiresAt: null }),
		list,
		page: async () => ok({ sessions: [], next: '' }),
		read: async (id) => ok({ id, createdAt: null, updatedAt: null, expiresAt: null }),
		extend: async () => ok(),
		remove: async () => ok('deleted'),
		checkMediaAddress: () => null,
		serverNow: () => SERVER_NOW,
		heardNow: () => SERVER_NOW,
		...answers,
	};
	/** `call`, written down first. */
	function noted<Args extends readonly unknown[], Answer>(
		name: string,
		call: (...args: Args) => Answer,
	): (...args: Args) => Answer {
		return (...args) => {
			asked.push([name, ...args.filter((one) => typeof one === 'string')].join(' '));
			return call(...args);
		};
	}
	const account: SessionAccount = {
		...whole,
		create: noted('create', whole.create),
		list: noted('list', whole.list),
		read: noted('read', whole.read),
		extend: noted('extend', whole.extend),
		remove: noted('remove', whole.remove),
	};
	return { account, asked };
}

/** The account of the entries that `createScriptedAccount` takes for its own, with the salt of `createMemoryLedger`. */
export const OWN = 'mine-pepper-and-salt';

export function sessionAt(id: string, createdAt: number | null): SessionFacts {
	return { id, createdAt, updatedAt: createdAt, expiresAt: null };
}

/** The data that survives a crash, in place of the file. */
export interface LedgerDisk {
	entries: readonly LedgerEntry[];
	readonly alive: Set<string>;
	/** Every change fails, as on a full disk. */
	full: boolean;
}

export function createLedgerDisk(): LedgerDisk {
	return { entries: [], alive: new Set(), full: false };
}

/** One process's ledger over a shared disk. Dying is `disk.alive.delete(owner)`. */
export function createMemoryLedger(disk: LedgerDisk, owner: string): Ledger {
	disk.alive.add(owner);
	return {
		owner,
		salt: async () => ok('pepper-and-salt'),
		read: async () => ok(disk.entries),
		async change(edit) {
			await Promise.resolve();
			if (!disk.alive.has(owner)) return await new Promise<never>(() => {});
			if (disk.full) return err({ kind: 'storage-failed', what: 'ledger: ENOSPC' });
			disk.entries = edit(disk.entries);
			return ok(disk.entries);
		},
		isInUse: (name) => disk.alive.has(name),
		brokenFile: () => null,
		close: () => void disk.alive.delete(owner),
	};
}

interface StageOptions {
	readonly limit?: number;
	readonly skewMs?: number;
	readonly tokenLifeMs?: number;
	readonly allowedHosts?: readonly string[];
	/** Default two minutes. */
	readonly preparedIdleMs?: number;
}

/** A session keeper beside a pretend service, under manual time; nothing is there yet. */
export function createKeeperStage(options: StageOptions = {}) {
	const clock = createManualClock();
	const mishaps: Mishap[] = [];
	const next = () => mishaps.shift() ?? 'none';
	const key = { now: 'the-key' };
	const parts = {
		next,
		latencyMs: () => 150,
		skewMs: options.skewMs ?? 0,
		limit: options.limit ?? 10,
		lifeMs: 600_000,
		tokenLifeMs: options.tokenLifeMs,
	};
	const service = createPretendService(clock, parts);
	const disk = createLedgerDisk();
	const common = { clock, random: () => 0.5, log: silentLogger };
	const api = createSessionClient({
		...common,
		fetch: service.fetch,
		baseUrl: () => 'https://api.example.com',
		key: () => key.now,
		allowedHosts: () => options.allowedHosts ?? [],
	});
	const lost: { handle: string; problem: Problem }[] = [];
	function createKeeper(owner: string) {
		const ledger = createMemoryLedger(disk, owner);
		const made = createSessionKeeper({
			...common,
			api,
			ledger,
			preparedIdleMs: () => options.preparedIdleMs ?? 120_000,
		});
		made.onLost((handle, problem) => lost.push({ handle, problem }));
		return made;
	}
	const keeper = createKeeper('this');

	async function over<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
		for (let left = ms; left > 0; left -= 50) await clock.run(50);
		return await promise;
	}
	async function opened(): Promise<string> {
		const grant = await over(2000, keeper.open());
		if (!grant.ok) throw new Error(grant.error.kind);
		return grant.value.handle;
	}
	/** The program dies with a session, whose entry is in the ledger; the keeper of the next one. */
	async function startedAgain() {
		await opened();
		disk.alive.delete('this');
		return createKeeper('next');
	}
	/** A session is made ahead; so much later. */
	async function prepared(ms = 2000): Promise<void> {
		keeper.prepare();
		await clock.run(ms);
	}

	return { keeper, clock, service, disk, mishaps, key, lost, over, opened, prepared, startedAgain };
}
