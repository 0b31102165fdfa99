import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Accounts } from '#sandbox/accounts.ts';
import type { FaultSet, Faults } from '#sandbox/faults.ts';
import { httpDate } from '#sandbox/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Scope } from '#shared/lib/scope.ts';
import { type Answer, type AnyRequest, insteadOf, isRawBody, refusal, spoil } from './answers.ts';
import { type GlossaryRequest, glossaryRoute, tooLarge } from './glossaries.ts';
import { type SessionApi, SKEW_MS, sessionRoute } from './sessions.ts';
import { type VoiceRequest, voiceRoute } from './voices.ts';

/** Size of the answer with the fault `huge-body`, bytes. */
const HUGE_BODY = 200_000_000;

const SLOW_MS = 3000;

const DRIP_MS = 1000;

/** Larger request bodies are refused. */
const BODY_LIMIT = 1_048_576;

/** Pages of any origin may send requests, as the vendor's SDK does from a browser. */
const cors = {
	'Access-Control-Allow-Origin': '*',
	'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
	'Access-Control-Expose-Headers': 'Date, Retry-After',
	'Access-Control-Allow-Private-Network': 'true',
	'Access-Control-Max-Age': '600',
};

/** `scope` aborts answers in progress; `port` is known once the server is listening. */
export function createRestServer(parts: {
	clock: Clock;
	scope: Scope;
	accounts: Accounts;
	faults: Faults;
	sessions: SessionApi;
	voices: { answer(request: VoiceRequest): Answer };
	glossaries: { answer(request: GlossaryRequest): Answer };
	port: () => number;
}) {
	const { clock, scope, accounts, faults, sessions, voices, glossaries, port } = parts;

	const timing = createAnswerTiming(scope);
	let credits = 1000;

	async function process(
		request: AnyRequest,
		res: ServerResponse,
		answerIt: () => Answer | Promise<Answer>,
	): Promise<void> {
		await timing.wait(request);
		const skew = request.faults.has('clock-skew') ? SKEW_MS : 0;
		if (skew) res.setHeader('Date', httpDate(clock.wall() + skew));
		if (timing.staysAway(res, request)) return;
		const instead = insteadOf(request, { wallMs: clock.wall() + skew, port: port() });
		if (instead) return send(res, instead);
		await timing.deliver(res, spoil(await answerIt(), request), request);
	}

	/** Nothing is charged here, unless a fault simulates it. */
	function balance({ faults: own, instance }: Arrived): Answer {
		if (own.has('no-balance')) return refusal(404, 'There is nothing here', instance);
		const data = { credits, usd_equivalent: credits / 100 };
		if (own.has('credit-falls')) credits -= 1.5;
		return { status: 200, body: { ok: true, data } };
	}

	/** Null: there is no such endpoint. */
	function routeOf(method: string, path: string): Route | null {
		const callerOf = accounts.caller;
		const session = sessionRoute(method, path);
		if (session) {
			const { id, operation } = session;
			return { id, operation, callerOf, answer: (asked) => sessions.answer({ ...asked, operation }) };
		}
		const voice = voiceRoute(method, path);
		if (voice) {
			const { id, operation } = voice;
			const answer = (asked: Arrived) => voices.answer({ ...asked, operation });
			return { id, operation, callerOf: accounts.voiceCaller, answer };
		}
		const glossary = glossaryRoute(method, path);
		if (glossary) {
			const { id, operation } = glossary;
			return { id, operation, callerOf, answer: (asked) => glossaries.answer({ ...asked, operation }) };
		}
		const isBalance = method === 'GET' && path === '/payments/v2/balance';
		return isBalance ? { id: '', operation: 'balance', callerOf, answer: balance } : null;
	}

	return {
		/** Answers one request, even if handling it fails. */
		async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
			for (const [name, value] of Object.entries(cors)) res.setHeader(name, value);
			res.setHeader('Date', httpDate(clock.wall()));
			if (req.method === 'OPTIONS') {
				const asked = req.headers['access-control-request-headers'] ?? 'authorization, content-type';
				res.setHeader('Access-Control-Allow-Headers', asked);
				return send(res, { status: 204 });
			}
			const [path = '', query = ''] = (req.url ?? '/').split('?', 2);
			const route = routeOf(req.method ?? 'GET', path);
			if (!route) return send(res, nothingAt(path));
			const id = decode(route.id);
			const sent = credential(req);
			const caller = route.callerOf(sent);
			if (caller === null) return send(res, refusal(401, strange(sent), path));
			if (id === null) return send(res, refusal(404, 'There is nothing with this id', path));
			const body = await read(req);
			// The service's front end refuses this body, and not in JSON (protocol 8).
			if (body === null && /\/upload$/.test(path)) return send(res, tooLarge);
			if (body === null) return send(res, refusal(413, 'The body is too large', path));
			const asked = {
				id,
				query: new URLSearchParams(query),
				body,
				caller,
				instance: path,
				contentType: req.headers['content-type'] ?? '',
				faults: faults.of(caller),
			};
			const request = { ...asked, operation: route.operation };
			await process(request, res, () => route.answer(asked));
		},
	};
}

/** A request without its operation. */
interface Arrived {
	readonly id: string;
	readonly query: URLSearchParams;
	readonly body: string;
	readonly contentType: string;
	readonly caller: string;
	/** Path without query. */
	readonly instance: string;
	readonly faults: FaultSet;
}

interface Route {
	readonly operation: string;
	/** The id, still encoded. */
	readonly id: string;
	/** The owner of this credential; null = not authorised. */
	callerOf(sent: string): string | null;
	answer(asked: Arrived): Answer | Promise<Answer>;
}

function nothingAt(path: string): Answer {
	const known = path.startsWith('/session-storage/') || /^\/saas\/(?:voice|glossar)/.test(path);
	return refusal(known ? 405 : 404, known ? 'No such operation on this path' : 'There is nothing here', path);
}

/** The bearer token, or the secret of the older header pair (protocol 2.2). */
function credential(req: IncomingMessage): string {
	const bearer = /^Bearer\s+(\S+)\s*$/i.exec(req.headers.authorization ?? '')?.[1];
	const secret = req.headers.clientsecret;
	return bearer ?? (typeof secret === 'string' ? secret : '');
}

/** Why a credential is refused; never repeats the credential. */
function strange(sent: string): string {
	if (sent === '') return 'There is no credential';
	const isToken = /^[\w-]+\.[\w-]+\.[\w-]+/.test(sent);
	return isToken ? 'The token is not valid here' : 'The API key is not known, or not taken here';
}

function decode(text: string): string | null {
	try {
		return decodeURIComponent(text);
	} catch {
		return null;
	}
}

async function read(req: IncomingMessage): Promise<string | null> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of req) {
		size += chunk.length;
		if (size > BODY_LIMIT) return null;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString('utf8');
}

/** When and how an answer is sent: delayed, cut, slowly, never. `scope` aborts what is left of it. */
function createAnswerTiming(scope: Scope) {
	function pause(ms: number): Promise<void> {
		return new Promise((done) => scope.after(ms, done));
	}

	async function drip(res: ServerResponse, answer: Answer): Promise<void> {
		res.writeHead(answer.status === 204 ? 200 : answer.status, { 'Content-Type': 'application/json' });
		while (!res.destroyed && !scope.closed) {
			res.write(' ');
			await pause(DRIP_MS);
		}
	}

	return {
		/** Waits before the request is handled. */
		async wait({ faults, operation }: AnyRequest): Promise<void> {
			if (faults.has('slow', operation)) await pause(faults.number('slow', SLOW_MS));
		},
		/** Whether a fault prevents the request from being handled and answered at all. */
		staysAway(res: ServerResponse, { faults, operation }: AnyRequest): boolean {
			if (faults.take('hang', operation)) return true;
			if (!faults.take('drop-connection', operation)) return false;
			res.destroy();
			return true;
		},
		/** Sends the answer, once the request has been carried out. */
		async deliver(res: ServerResponse, answer: Answer, { faults, operation }: AnyRequest): Promise<void> {
			const hit = (name: 'hang-after' | 'cut-body' | 'drip' | 'huge-body') => faults.take(name, operation);
			if (hit('hang-after')) return;
			if (hit('cut-body')) return cut(res, answer);
			if (hit('drip')) return drip(res, answer);
			if (hit('huge-body')) return flood(res, answer);
			send(res, answer);
		},
	};
}

function bytes(answer: Answer): { body: Buffer; type: string } {
	if (answer.body === undefined) return { body: Buffer.alloc(0), type: '' };
	if (isRawBody(answer.body)) return { body: Buffer.from(answer.body.raw), type: answer.body.type };
	return { body: Buffer.from(JSON.stringify(answer.body)), type: 'application/json' };
}

function send(res: ServerResponse, answer: Answer): void {
	if (res.destroyed) return;
	const { body, type } = bytes(answer);
	const length = answer.status === 204 ? {} : { 'Content-Length': String(body.length) };
	res.writeHead(answer.status, { ...answer.headers, ...(type ? { 'Content-Type': type } : {}), ...length });
	res.end(answer.status === 204 ? undefined : body);
}

function cut(res: ServerResponse, answer: Answer): void {
	const { body, type } = bytes(answer);
	res.writeHead(answer.status === 204 ? 200 : answer.status, {
		'Content-Type': type || 'application/json',
		'Content-Length': String(body.length + 10),
	});
	res.write(body.subarray(0, body.length >> 1), () => res.destroy());
}

async function flood(res: ServerResponse, answer: Answer): Promise<void> {
	res.writeHead(answer.status === 204 ? 200 : answer.status, { 'Content-Type': 'application/json' });
	const chunk = Buffer.alloc(1_000_000, ' ');
	for (let sent = 0; sent < HUGE_BODY && !res.destroyed; sent += chunk.length) {
		if (!res.write(chunk)) await new Promise((ready) => res.once('drain', ready).once('close', ready));
	}
	res.end();
}
