import { randomBytes } from 'node:crypto';
import { release, type as systemName } from 'node:os';
import { type Account, socketOf } from '#main/account/account.ts';
import { createPactl, type SoundServer } from '#main/calls/sound-server.ts';
import { type DiagnosisParts, mainChecksOf, type OpenedRoom } from '#main/diagnosis/checks.ts';
import { createDiagnosis, type Diagnosis } from '#main/diagnosis/diagnosis.ts';
import { checkMediaAddress, type Product } from '#main/service/addresses.ts';
import { tryOnce } from '#main/service/http.ts';
import { namedProxy, namesProxy, type SocketAgents } from '#main/service/proxy.ts';
import type { SessionClient } from '#main/service/session-client.ts';
import type { Ledger } from '#main/sessions/ledger.ts';
import type { SessionKeeper } from '#main/sessions/session-keeper.ts';
import { dial } from '#main/streaming/dial.ts';
import { createSockets, type Sockets } from '#main/streaming/socket.ts';
import { type Check, fine, type Outcome, trouble } from '#shared/diagnosis/checks.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { parseHttpDate } from '#shared/lib/http-dates.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { type Problem, problemOfNetwork } from '#shared/problem.ts';
import { problemOfAnswer, problemOfPage, saidBy } from '#shared/protocol/envelope.ts';
import { checkRestBase } from '#shared/service-address.ts';
import { NOWHERE } from '#shared/settings/proxy.ts';

const LIMIT_MS = 8000;

export interface DoctorParts
	extends Pick<
		DiagnosisParts,
		| 'versions'
		| 'folder'
		| 'settingsProblem'
		| 'ledger'
		| 'base'
		| 'key'
		| 'checkKey'
		| 'busy'
		| 'room'
		| 'proxyOf'
	> {
	readonly clock: Clock;
	readonly fetch: typeof globalThis.fetch;
	readonly sockets: Sockets;
	readonly address: (product: Product) => Result<string, Problem>;
	/** The environment that leads to the sound server; null = this system has none that can be asked. */
	readonly soundEnv: NodeJS.ProcessEnv | null;
}

/** The checks that need no window, for the app and the command line. */
export function createDoctor(parts: DoctorParts): readonly Check[] {
	const { clock, fetch, base, soundEnv } = parts;
	return mainChecksOf({
		...parts,
		probe: (signal) => probeService({ fetch, clock }, base(), signal),
		dialSocket: (product, signal) => dialOnce(parts, product, signal),
		sound: soundEnv && ((signal) => askSoundServer(createPactl(clock, soundEnv), signal)),
	});
}

/** A query that each socket accepts; only speech to text has settings in it (protocol 5.2). */
const queries: Readonly<Record<Product, Readonly<Record<string, string>>>> = {
	s2s: {},
	stt: { language: 'en', format: 'pcm_s16le', sample_rate: '16000' },
	tts: {},
};

/** Connects with the key, the only way to see whether this socket accepts it. Nothing is sent, so nothing is charged. */
async function dialOnce(
	{ sockets, address }: DoctorParts,
	product: Product,
	signal: AbortSignal,
): Promise<Result<{ host: string }, Problem>> {
	const at = address(product);
	if (!at.ok) return at;
	const host = URL.parse(at.value.replaceAll(/[{}]/g, ''))?.host ?? '';
	const deaf = { frame() {}, dropped() {}, ended() {} };
	const opened = await sockets.open({ address: at.value, query: queries[product] }, deaf, signal);
	// The service itself answered; it only refused our query.
	if (!opened.ok) return opened.error.kind === 'task-refused' ? ok({ host }) : opened;
	await opened.value.close();
	return ok({ host });
}

async function askSoundServer(server: SoundServer, signal: AbortSignal): Promise<Outcome> {
	const info = await server.info(signal);
	if (!info.ok) return trouble(info.error, 'warning');
	const { name, defaultSink, defaultSource } = info.value;
	const shown = (text: string) => text.slice(0, 200) || '-';
	return fine('soundServer', {
		server: shown(name),
		output: shown(defaultSink),
		microphone: shown(defaultSource),
	});
}

/** The room of a session that was opened for this check alone. */
export function roomOf(
	session: { readonly webrtcUrl: string; readonly publisher: string },
	parts: { readonly clock: Clock; readonly agent: SocketAgents },
	close: OpenedRoom['close'],
): OpenedRoom {
	return { close, signal: (signal) => reachSignalling(session, parts, signal) };
}

/** The signalling of a LiveKit room: a WebSocket at `/rtc`, admitted by the token in a header. */
async function reachSignalling(
	{ webrtcUrl, publisher }: { readonly webrtcUrl: string; readonly publisher: string },
	{ clock, agent }: { readonly clock: Clock; readonly agent: SocketAgents },
	signal: AbortSignal,
): Promise<Result<void, Problem>> {
	const address = `${webrtcUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}/rtc?auto_subscribe=0&sdk=js&protocol=15`;
	const dialled = await dial(address, publisher, { clock, agent: await agent(address), signal });
	switch (dialled.type) {
		case 'open':
			dialled.ws.resume();
			dialled.ws.close(1000);
			clock.after(1000, () => dialled.ws.terminate());
			return ok();
		case 'refused': {
			const { status, body } = dialled;
			const problem = problemOfPage(status, body) ?? problemOfAnswer(status, body, 'open-socket', 0);
			return err(
				problem.kind === 'api-key-rejected'
					? { kind: 'room-refused', reason: String(status), ...saidBy(problem) }
					: problem,
			);
		}
		case 'failed':
			return err(
				dialled.problem.kind === 'service-unreachable'
					? { kind: 'room-unreachable', reason: dialled.problem.cause }
					: dialled.problem,
			);
	}
}

/** The environment's proxy for an address, shown without a password; `unusable` = it is no address. */
export function environmentProxy(env: NodeJS.ProcessEnv, address: string): string {
	const proxy = namedProxy(env);
	const url = URL.parse(address);
	if (!proxy || url?.protocol !== 'https:') return '';
	const without = (env.no_proxy || env.NO_PROXY || '').split(/[\s,]+/).filter(Boolean);
	const isWithout = without.some(
		(name) =>
			name === '*' || url.hostname === name || url.hostname.endsWith(`.${name.replace(/^\*?\./, '')}`),
	);
	if (isWithout) return '';
	const named = URL.parse(proxy);
	return proxy === NOWHERE || !named ? 'unusable' : `${named.protocol}//${named.host}`;
}

interface ProbeAnswer {
	/** From the request to the first byte of the answer, ms. */
	readonly ms: number;
	/** The `Date` of the answer against this computer's clock, ms (positive: ours is behind); null without one. */
	readonly skewMs: number | null;
}

/**
 * Checks whether anything answers at this REST base. Asks once, without a key, so that a wrong key cannot
 * interfere and no key leaks. Any answer counts except a web page, which comes from something else, such as
 * the sign-in page of a network.
 */
async function probeService(
	{ fetch, clock }: { readonly fetch: typeof globalThis.fetch; readonly clock: Clock },
	base: string,
	signal: AbortSignal,
): Promise<Result<ProbeAnswer, Problem>> {
	const refusal = checkRestBase(base);
	if (refusal) return err(refusal);
	const started = clock.now();
	let answer: ProbeAnswer = { ms: 0, skewMs: null };
	const heardHead = ({ headers }: Response): void => {
		const date = Number(headers.get('age') ?? 0) > 0 ? null : parseHttpDate(headers.get('date') ?? '');
		// The header counts whole seconds: half of one is the best guess for the rest.
		const skewMs = date === null ? null : Math.round(date + 500 - clock.wall());
		answer = { ms: Math.round(clock.now() - started), skewMs };
	};
	const url = `${base.replace(/\/+$/, '')}/session-storage/sessions?page_size=1`;
	const init: RequestInit = { method: 'GET', credentials: 'omit', cache: 'no-store' };
	const limits = { firstMs: LIMIT_MS, overallMs: LIMIT_MS };
	const outcome = await tryOnce(url, init, { fetch, clock, ...limits, signal, heardHead });
	switch (outcome.type) {
		case 'answer': {
			const page =
				outcome.body.type === 'unreadable' ? problemOfPage(outcome.status, outcome.body.page ?? '') : null;
			return page ? err(page) : ok(answer);
		}
		case 'broken':
			return err(problemOfNetwork(outcome.failure.cause, outcome.url));
		case 'late':
			return err({ kind: 'timed-out', what: 'reach-service', afterMs: outcome.afterMs });
		case 'cancelled':
			return err({ kind: 'cancelled' });
	}
}

/** The doctor of the app: the same checks as the command line's, with the account and the keeper of the window. */
export function createAppDiagnosis(parts: {
	readonly account: Account;
	readonly clock: Clock;
	readonly log: Logger;
	readonly env: NodeJS.ProcessEnv;
	readonly folder: string;
	readonly version: string;
	readonly fetch: typeof globalThis.fetch;
	readonly agent: SocketAgents;
	readonly allowedHosts: () => readonly string[];
	readonly settingsProblem: () => Problem | null;
	readonly ledger: Ledger;
	readonly keeper: Pick<SessionKeeper, 'open' | 'close'>;
	readonly client: Pick<SessionClient, 'checkKey'>;
	/** True while a conversation runs or the program ends. */
	readonly busy: () => boolean;
	/** In Electron's format: `PROXY host:port; DIRECT`. */
	readonly resolveProxy: (address: string) => Promise<string>;
}): Diagnosis {
	const { account, clock, log, keeper, client, agent } = parts;
	const { chrome = 'outside', electron } = process.versions;
	const sockets = createSockets({
		clock,
		log,
		key: account.key,
		checkAddress: (url) => checkMediaAddress(url, account.baseUrl(), parts.allowedHosts()),
		randomHash: () => randomBytes(16).toString('hex'),
		agent,
	});
	const checks = createDoctor({
		clock,
		sockets,
		fetch: parts.fetch,
		folder: parts.folder,
		settingsProblem: parts.settingsProblem,
		ledger: parts.ledger,
		busy: parts.busy,
		base: account.baseUrl,
		address: (product) => socketOf(account, product),
		versions: () => ({
			app: parts.version,
			shell: `${electron ? `Electron ${electron}` : 'stand-in'}, Chromium ${chrome}`,
			node: process.versions.node,
			system: `${systemName()} ${release()}`,
		}),
		key() {
			const { key, service } = account.status();
			const host = URL.parse(account.baseUrl())?.host ?? '';
			if (account.key() !== null) return ok({ source: service === 'sandbox' ? service : key.source, host });
			return err(key.elsewhere ? { kind: 'key-elsewhere', host } : { kind: 'api-key-missing' });
		},
		async checkKey(signal) {
			const ready = await account.ready();
			return ready.ok ? client.checkKey(signal) : ready;
		},
		room: {
			async open() {
				const opened = await keeper.open();
				if (!opened.ok) return opened;
				const { handle } = opened.value;
				// If this deletion fails, the keeper retries it later.
				return ok(roomOf(opened.value, { clock, agent }, async () => ok(await keeper.close(handle))));
			},
		},
		async proxyOf(address) {
			if (namesProxy(parts.env)) return environmentProxy(parts.env, address);
			if (!address.startsWith('https:')) return '';
			const answer = await parts.resolveProxy(new URL(address).origin).catch(() => '');
			const [kind = '', place = ''] = (answer.split(';')[0] ?? '').trim().split(/\s+/);
			if (kind === '' || kind === 'DIRECT') return '';
			// Our sockets cannot go through SOCKS.
			return kind.startsWith('SOCKS') ? 'unusable' : place;
		},
		soundEnv: process.platform === 'linux' ? process.env : null,
	});
	return createDiagnosis({ checks, clock });
}
