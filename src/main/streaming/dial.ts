import type { Agent, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { codeOf } from '#main/lib/files.ts';
import { readConnectFailure } from '#main/service/connect-failure.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { parseHttpDate, parseRetryAfter } from '#shared/lib/http-dates.ts';
import { createScope } from '#shared/lib/scope.ts';
import { type Problem, problemOfNetwork } from '#shared/problem.ts';
import { withoutSecrets } from '#shared/protocol/envelope.ts';

export type Dialled =
	/** The socket is paused, so that no message is lost: resume it once you listen. */
	| { readonly type: 'open'; readonly ws: WebSocket }
	/** An HTTP response instead of an upgrade. `body` is text, cut short, without the key. */
	| {
			readonly type: 'refused';
			readonly status: number;
			readonly body: string;
			/** The pause that `Retry-After` asks for; 0 if absent or unreadable. */
			readonly retryAfterMs: number;
	  }
	| { readonly type: 'failed'; readonly problem: Problem };

/** Upgrades took up to 4.0 s (protocol 3.7). */
const UPGRADE_MS = 10_000;
/** Limits for the answer to a refused upgrade: how long to wait for it, ms, and how much to read, characters. */
const BODY_MS = 1000;
const BODY_LENGTH = 16_384;
/** Larger frames end the connection with 1009 (faults 76). */
const MAX_FRAME_BYTES = 2 * 1024 * 1024;

/** Makes one attempt at a WebSocket. Never rejects, never follows a redirect, never repeats the key. */
export function dial(
	url: string,
	key: string | null,
	{
		clock,
		agent,
		signal,
	}: {
		readonly clock: Clock;
		/** The agent of a proxy; without it the connection is direct. */
		readonly agent?: Agent | undefined;
		readonly signal: AbortSignal;
	},
): Promise<Dialled> {
	if (signal.aborted) return Promise.resolve({ type: 'failed', problem: { kind: 'cancelled' } });
	return new Promise((done) => {
		const scope = createScope(clock);
		const ws = make(url, key, agent);
		if (!ws) {
			done({ type: 'failed', problem: { kind: 'address-refused', host: '' } });
			return;
		}
		const end = (dialled: Dialled): void => {
			if (scope.closed) return;
			scope.close();
			if (dialled.type !== 'open') ws.terminate();
			done(dialled);
		};
		const cancel = () => end({ type: 'failed', problem: { kind: 'cancelled' } });
		signal.addEventListener('abort', cancel, { once: true });
		scope.add(() => signal.removeEventListener('abort', cancel));
		scope.after(UPGRADE_MS, () =>
			end({ type: 'failed', problem: { kind: 'timed-out', what: 'open-socket', afterMs: UPGRADE_MS } }),
		);
		// This listener is never removed, so that late errors are ignored.
		ws.on('error', (failure) => {
			end({ type: 'failed', problem: problemOfNetwork(connectionCause(failure), url) });
		});
		ws.once('open', () => {
			// Paused until its owner listens: messages that came together with the upgrade must not be lost.
			ws.pause();
			end({ type: 'open', ws });
		});
		ws.once('unexpected-response', (_request, answer) => {
			readBody(answer, scope.after, (body) =>
				end({
					type: 'refused',
					status: answer.statusCode ?? 0,
					body: key === null ? body : withoutSecrets(body, [key]),
					retryAfterMs: retryAfterOf(answer, clock),
				}),
			);
		});
	});
}

function retryAfterOf({ headers }: IncomingMessage, clock: Clock): number {
	const serverNow = parseHttpDate(headers.date ?? '') ?? clock.wall();
	return parseRetryAfter(headers['retry-after'] ?? null, serverNow) ?? 0;
}

function make(url: string, key: string | null, agent: Agent | undefined): WebSocket | null {
	try {
		return new WebSocket(url, {
			headers: key === null ? {} : { authorization: `Bearer ${key}` },
			followRedirects: false,
			// Check the certificate even if the environment turns that off.
			rejectUnauthorized: true,
			// Compression gains nothing on sound, and an inflated frame could be of any size.
			perMessageDeflate: false,
			maxPayload: MAX_FRAME_BYTES,
			...(agent ? { agent } : {}),
		});
	} catch {
		// Drop the error of `ws`, because it quotes the address.
		return null;
	}
}

function readBody(
	answer: IncomingMessage,
	after: (ms: number, run: () => void) => void,
	done: (body: string) => void,
): void {
	let body = '';
	const finish = () => done(body.slice(0, BODY_LENGTH));
	answer.setEncoding('utf8');
	answer.on('data', (piece: string) => {
		body += piece;
		if (body.length >= BODY_LENGTH) finish();
	});
	answer.once('end', finish);
	answer.once('error', finish);
	after(BODY_MS, finish);
}

/** A code such as `ECONNREFUSED`, else fixed words: a message may quote a secret. */
export function connectionCause(failure: unknown): string {
	const { cause } = readConnectFailure(failure);
	if (cause.startsWith('PROXY_')) return cause;
	const code = codeOf(failure, 'connection failed');
	// Node only reports "protocol error" here; `fetch` would report which.
	if (code === 'EPROTO' && failure instanceof Error && failure.message.includes('wrong version number'))
		return 'ERR_SSL_WRONG_VERSION_NUMBER';
	return code;
}
