import type { Agent } from 'node:http';
import type { WebSocket } from 'ws';
import { isPublicPlace, withHash, withQuery } from '#main/service/addresses.ts';
import { checkKey } from '#main/service/http.ts';
import { type Clock, pause } from '#shared/lib/clock.ts';
import { type Logger, redact } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import {
	errorFacts,
	problemOfAnswer,
	problemOfPage,
	saidBy,
	withoutSecrets,
} from '#shared/protocol/envelope.ts';
import { COMMAND_LIMIT } from '#shared/protocol/limits.ts';
import { connectionCause, type Dialled, dial } from './dial.ts';
import { causeOf, type SocketEnd } from './socket-ends.ts';

/** How much audio may be in the socket, not yet taken by the system, ms (faults 72). */
const AHEAD_MS = 500;

/** At most this much audio waits, ms (faults 72). */
const LONGEST_MS = 2000;

/** Commands are limited to a few a second; if more than this wait, something is wrong. */
const MOST_FRAMES = 256;

/** The address to connect to. The key is added here and nowhere else. */
export interface SocketTarget {
	/** Full address without query; may contain `{hash}` or `{random_hash}`. */
	readonly address: string;
	readonly query?: Readonly<Record<string, string>>;
}

/** Callbacks of the owner. None is called after `ended`, or after our own `close`. */
export interface SocketHeard {
	/** One message, as text; binary frames hold JSON too (protocol 5). */
	frame(text: string): void;
	/** This much audio was not sent: the uplink is too slow, or the connection ended first. */
	dropped(audioMs: number): void;
	/** The system has taken a frame, so less audio waits now. */
	drained?(): void;
	ended(end: SocketEnd): void;
}

interface SocketParts {
	readonly clock: Clock;
	readonly log: Logger;
	/** The key; null = none is known. */
	readonly key: () => string | null;
	/** May the key be sent there? Null = yes. */
	readonly checkAddress: (address: string) => Problem | null;
	/** 32 hex digits, fresh each time. */
	readonly randomHash: () => string;
	/** For encrypted connections through a proxy: the agent for an address; undefined = directly. Never rejects. */
	readonly agent?: (address: string) => Promise<Agent | undefined>;
}

type KeyPlacement = 'header' | 'query';

const PING_MS = 5000;
/** An answer to a ping that comes later than this does not count (faults 70). */
const PONG_MS = 5000;
/** How long to wait for the closing handshake (faults 71). */
const CLOSE_MS = 2000;

const NORMAL = 1000;

export type Sockets = ReturnType<typeof createSockets>;

export function createSockets(parts: SocketParts) {
	const { clock, log } = parts;
	/** How each host expects the key; older deployments, but never the public service, only know the query. */
	const ways = new Map<string, KeyPlacement>();
	const dialledMs: number[] = [];

	/** When the next connection may begin (protocol 4.4). */
	function delayMs(): number {
		const now = clock.now();
		while (dialledMs[0] !== undefined && dialledMs[0] <= now - COMMAND_LIMIT.sockets.windowMs)
			dialledMs.shift();
		const first = dialledMs[0];
		return dialledMs.length < COMMAND_LIMIT.sockets.count || first === undefined
			? 0
			: first + COMMAND_LIMIT.sockets.windowMs - now;
	}

	async function turn(signal: AbortSignal): Promise<boolean> {
		for (let waitMs = delayMs(); waitMs > 0; waitMs = delayMs()) {
			log.warn('socket waits for the connection limit', { waitMs });
			if (!(await pause(clock, waitMs, signal))) return false;
		}
		if (signal.aborted) return false;
		dialledMs.push(clock.now());
		return true;
	}

	async function tryOnce(
		target: SocketTarget,
		key: string,
		way: KeyPlacement,
		signal: AbortSignal,
	): Promise<Dialled> {
		if (!(await turn(signal))) return { type: 'failed', problem: { kind: 'cancelled' } };
		const query = way === 'query' ? { ...target.query, token: key } : (target.query ?? {});
		const url = withQuery(withHash(target.address, parts.randomHash()), query);
		const agent = await parts.agent?.(url);
		const dialled = await dial(url, way === 'header' ? key : null, { clock, agent, signal });
		if (dialled.type !== 'refused' || way === 'header') return dialled;
		return { ...dialled, body: withoutSecrets(dialled.body, [key]) };
	}

	async function open(
		target: SocketTarget,
		heard: SocketHeard,
		signal: AbortSignal,
	): Promise<Result<Socket, Problem>> {
		const key = parts.key() ?? '';
		const refusal = checkKey(key) ?? checkTarget(target, parts.checkAddress);
		if (refusal) return err(refusal);
		const host = URL.parse(withHash(target.address, '0'))?.host ?? '';
		const known = ways.get(host) ?? 'header';
		let way = known;
		let dialled = await tryOnce(target, key, way, signal);
		// Addresses may be logged on the way, so only a deployment that the user named gets the key in the query.
		if (isKeyRefused(dialled) && !isPublicPlace(withHash(target.address, '0'))) {
			way = known === 'header' ? 'query' : 'header';
			const second = await tryOnce(target, key, way, signal);
			// The second answer counts, unless only the network failed.
			if (second.type !== 'failed') dialled = second;
		}
		if (dialled.type !== 'open') {
			const problem = problemOf(dialled);
			log.warn('socket not opened', {
				host,
				kind: problem.kind,
				status: dialled.type === 'refused' ? dialled.status : 0,
				...errorFacts(problem),
			});
			return err(problem);
		}
		ways.set(host, way);
		log.debug('socket open', { host, way });
		return ok(hold(dialled.ws, key, heard, parts));
	}

	return {
		/**
		 * Opens a socket. Returns a problem for a refused key, an HTTP response instead of a socket, or no answer;
		 * these leave nothing open.
		 */
		open,
	};
}

/** Checks the host of the address, and that it is a plain `ws:` or `wss:` address without a query. */
function checkTarget({ address }: SocketTarget, check: SocketParts['checkAddress']): Problem | null {
	const filled = withHash(address, '0');
	const refusal = check(filled);
	const url = URL.parse(filled);
	if (refusal || (url !== null && ['ws:', 'wss:'].includes(url.protocol) && url.search === ''))
		return refusal;
	return { kind: 'address-refused', host: url?.hostname.slice(0, 100) ?? '' };
}

function isKeyRefused(dialled: Dialled): boolean {
	return dialled.type === 'refused' && problemOf(dialled).kind === 'api-key-rejected';
}

function problemOf(dialled: Exclude<Dialled, { type: 'open' }>): Problem {
	if (dialled.type === 'failed') return dialled.problem;
	const { status, body, retryAfterMs } = dialled;
	const page = problemOfPage(status, body);
	if (page) return page;
	const problem = problemOfAnswer(status, body, 'open-socket', retryAfterMs);
	// A bad key gives 403 on two of the sockets (protocol 2.3), a bad value in the query 400.
	const said = saidBy(problem);
	if (problem.kind === 'forbidden') return { kind: 'api-key-rejected', status, ...said };
	if (problem.kind === 'service-failed' && status === 400)
		return { kind: 'task-refused', field: '', detail: problem.detail, ...said };
	return problem;
}

/** Returns a message without the key, which an error may repeat. Transcripts are never changed. */
function frameOf(text: string, key: string): string {
	return text.includes('"error"') ? withoutSecrets(text, [key]) : text;
}

/** True for an end without a close frame: data that the system held for the peer is lost as well. */
function isWordless(end: SocketEnd): boolean {
	return end.by === 'silence' || (end.by === 'peer' && end.code === 1006);
}

export type Socket = ReturnType<typeof hold>;

/** Wraps an open, authorised WebSocket: watches it, limits its queue, ends it in time. Its owner closes it. */
function hold(ws: WebSocket, key: string, heard: SocketHeard, { clock, log }: SocketParts) {
	const scope = createScope(clock);
	/** Sound sent since the peer was last heard: if the peer disappears, we cannot know whether it arrived. */
	let doubtfulMs = 0;
	const queue = createSendQueue({
		write: (data, left) =>
			ws.send(data, (failure) => {
				if (failure) return;
				left();
				if (!scope.closed) heard.drained?.();
			}),
		dropped(audioMs) {
			doubtfulMs -= audioMs;
			if (!scope.closed) heard.dropped(audioMs);
		},
	});
	let heardMs = clock.now();
	let roundTripMs = 0;
	/** The newest ping: a peer may also send pongs without a ping, which do not count. */
	let asked = { name: '0', atMs: 0 };
	let failure: string | null = null;
	let closing: Promise<void> | null = null;
	const closed = new Promise<void>((done) => ws.once('close', () => done()));

	function over(end: SocketEnd): void {
		if (scope.closed) return;
		scope.close();
		const lostMs = isWordless(end) ? doubtfulMs : queue.audioMs;
		queue.clear();
		if (lostMs > 0) heard.dropped(lostMs);
		log.info('socket ended', { cause: causeOf(end) });
		heard.ended(end);
	}

	const alive = () => {
		heardMs = clock.now();
		doubtfulMs = queue.audioMs;
	};
	ws.on('pong', (data: Buffer) => {
		alive();
		if (data.toString('latin1') === asked.name) roundTripMs = clock.now() - asked.atMs;
	});
	ws.on('ping', alive);
	ws.on('message', (data: Buffer) => {
		alive();
		if (scope.closed) return;
		try {
			heard.frame(frameOf(data.toString('utf8'), key));
		} catch (thrown) {
			// A service's message may end its connection, but never the program.
			log.error('frame not read', { failure: String(thrown) });
			over({ by: 'failure', cause: 'unreadable' });
			ws.terminate();
		}
	});
	ws.on('error', (thrown) => {
		failure = connectionCause(thrown);
	});
	ws.once('close', (code: number, reason: Buffer) => {
		over(
			failure === null
				? { by: 'peer', code, reason: redact(reason.toString('utf8'), [key]) }
				: { by: 'failure', cause: failure },
		);
	});
	ws.resume();
	function ping(): number {
		asked = { name: String(Number(asked.name) + 1), atMs: clock.now() };
		ws.ping(asked.name);
		return asked.atMs;
	}
	ping();
	scope.every(PING_MS, () => {
		const askedMs = ping();
		scope.after(PONG_MS, () => {
			if (heardMs >= askedMs) return;
			over({ by: 'silence' });
			ws.terminate();
		});
	});

	function offer(data: string | Uint8Array, audioMs: number): boolean {
		if (scope.closed || ws.readyState !== ws.OPEN) return false;
		doubtfulMs += audioMs;
		return queue.offer(data, audioMs);
	}

	async function close(): Promise<void> {
		if (!scope.closed) {
			scope.close();
			queue.clear();
		}
		if (ws.readyState === ws.CLOSED) return;
		const stop = clock.after(CLOSE_MS, () => ws.terminate());
		ws.close(NORMAL);
		await closed;
		stop();
	}

	return {
		/** Queues a frame after all waiting ones; false if the socket is closed or has sent nothing for long. */
		send: (data: string | Uint8Array): boolean => offer(data, 0),
		/** Like `send`, for `audioMs` of sound, which may still be dropped while it waits. */
		sendAudio: offer,
		/** Audio that has not been sent yet, ms. */
		get waitingMs(): number {
			return queue.audioMs;
		},
		/** Time from the newest ping to its answer, ms; 0 until the first answer. */
		get roundTripMs(): number {
			return roundTripMs;
		},
		/** Closes with code 1000; resolves when closed, within 2 s. Calling it again is harmless. */
		close(): Promise<void> {
			closing ??= close();
			return closing;
		},
	};
}

interface Frame {
	readonly data: string | Uint8Array;
	readonly audioMs: number;
}

/** Frames waiting for a socket: audio may be dropped, all others keep their place in the queue. */
export function createSendQueue({
	write,
	dropped,
}: {
	/** Passes one frame to the socket; `left` is called when the system has taken it. */
	readonly write: (data: string | Uint8Array, left: () => void) => void;
	/** This much audio was dropped, the oldest first. */
	readonly dropped: (audioMs: number) => void;
}) {
	const waiting: Frame[] = [];
	let givenMs = 0;
	let waitingMs = 0;

	function give(frame: Frame): void {
		givenMs += frame.audioMs;
		write(frame.data, () => {
			givenMs -= frame.audioMs;
			pump();
		});
	}

	function pump(): void {
		while (givenMs < AHEAD_MS) {
			const frame = waiting.shift();
			if (!frame) return;
			waitingMs -= frame.audioMs;
			give(frame);
		}
	}

	function trim(): void {
		let lostMs = 0;
		while (givenMs + waitingMs > LONGEST_MS) {
			const oldest = waiting.findIndex(({ audioMs }) => audioMs > 0);
			const [frame] = oldest === -1 ? [] : waiting.splice(oldest, 1);
			if (!frame) break;
			waitingMs -= frame.audioMs;
			lostMs += frame.audioMs;
		}
		if (lostMs > 0) dropped(lostMs);
	}

	return {
		/** `audioMs` > 0 for audio: its duration. False if too many other frames are waiting. */
		offer(data: string | Uint8Array, audioMs: number): boolean {
			if (audioMs === 0 && waiting.length >= MOST_FRAMES) return false;
			waiting.push({ data, audioMs });
			waitingMs += audioMs;
			pump();
			trim();
			return true;
		},
		/** Audio that has not been sent yet, ms. */
		get audioMs(): number {
			return givenMs + waitingMs;
		},
		clear(): void {
			waiting.length = 0;
			waitingMs = 0;
		},
	};
}
