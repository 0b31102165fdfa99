import type { FileHandle } from 'node:fs/promises';
import http, { type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { readConnectFailure } from './connect-failure.ts';
import type { UploadForm } from './form-upload.ts';

/** Bytes of the file in memory at a time. */
export const PIECE_BYTES = 65_536;
/** A connection that takes no byte for this long is dead. */
const IDLE_MS = 30_000;
/** How long to wait for an answer once the storage has everything. */
const ANSWER_MS = 60_000;
/** A refusal may arrive a moment after the connection broke while we were still sending. */
const LATE_ANSWER_MS = 1000;
const MOST_ANSWER = 65_536;

export interface PostParts {
	readonly url: string;
	readonly form: UploadForm;
	/** Open for reading; the caller closes it. */
	readonly file: FileHandle;
	readonly fileBytes: number;
	readonly progress: (sentBytes: number) => void;
	readonly signal: AbortSignal;
	readonly clock: Clock;
	readonly agent: Agent | undefined;
}

/** `shortened`: the file ended early; `unreadable`: it could not be read any further. */
export type PostOutcome =
	| { readonly type: 'answer'; readonly status: number; readonly body: string }
	| { readonly type: 'broken'; readonly cause: string }
	| { readonly type: 'late'; readonly afterMs: number }
	| { readonly type: 'shortened' }
	| { readonly type: 'unreadable' }
	| { readonly type: 'cancelled' };

/**
 * One POST with a known length, a piece of the file in memory at a time. Not with `fetch`: Electron's
 * would send it in chunks, which pre-signed forms do not accept, or collect it in memory first. Never
 * rejects; leaves no socket behind. Redirects are returned as answers.
 */
export function postForm(parts: PostParts): Promise<PostOutcome> {
	const { form, fileBytes, signal, clock } = parts;
	if (signal.aborted) return Promise.resolve({ type: 'cancelled' });
	return new Promise((done) => {
		const request = open(parts);
		let isOver = false;
		let stopWatch: Cancel = () => {};

		function end(outcome: PostOutcome): void {
			if (isOver) return;
			isOver = true;
			stopWatch();
			signal.removeEventListener('abort', cancelled);
			request.destroy();
			done(outcome);
		}
		const cancelled = () => end({ type: 'cancelled' });
		function watch(limitMs: number): void {
			stopWatch();
			if (!isOver) stopWatch = clock.after(limitMs, () => end({ type: 'late', afterMs: limitMs }));
		}

		signal.addEventListener('abort', cancelled, { once: true });
		request.once('response', (response) => {
			watch(ANSWER_MS);
			readAnswer(response).then(
				(body) => end({ type: 'answer', status: response.statusCode ?? 0, body }),
				(thrown) => end(broken(thrown)),
			);
		});
		request.on('error', (thrown) => {
			if (isOver) return;
			stopWatch();
			stopWatch = clock.after(request.headersSent ? LATE_ANSWER_MS : 0, () => end(broken(thrown)));
		});
		watch(IDLE_MS);
		const moved = (sentBytes: number) => {
			if (isOver) return;
			watch(IDLE_MS);
			parts.progress(sentBytes);
		};
		sendAll(request, form, parts.file, fileBytes, moved).then(
			(sent) => {
				if (isOver) return;
				if (sent === 'whole') watch(ANSWER_MS);
				else end({ type: sent });
			},
			// The connection's own `error` tells why.
			() => {},
		);
	});
}

function open({ url, form, fileBytes, agent }: PostParts): ClientRequest {
	const isSecure = url.toLowerCase().startsWith('https:');
	return (isSecure ? https : http).request(url, {
		method: 'POST',
		headers: {
			'content-type': form.contentType,
			'content-length': form.head.length + fileBytes + form.tail.length,
			accept: '*/*',
		},
		// Even where the environment turns certificate checks off.
		...(isSecure ? { rejectUnauthorized: true } : {}),
		...(agent ? { agent } : {}),
	});
}

/** Rejects when the connection takes no more. */
async function sendAll(
	request: ClientRequest,
	form: UploadForm,
	file: FileHandle,
	fileBytes: number,
	moved: (sentBytes: number) => void,
): Promise<'whole' | 'shortened' | 'unreadable'> {
	await write(request, form.head);
	for (let sent = 0; sent < fileBytes; ) {
		// A buffer of its own each time: the socket may still hold the one before.
		const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, fileBytes - sent));
		const read = await file.read(piece, 0, piece.length, sent).catch(() => null);
		if (read === null) return 'unreadable';
		const { bytesRead } = read;
		if (bytesRead === 0) return 'shortened';
		await write(request, piece.subarray(0, bytesRead));
		sent += bytesRead;
		moved(sent);
	}
	await write(request, form.tail);
	request.end();
	return 'whole';
}

/** Resolves when the bytes have been handed to the system. */
function write(request: ClientRequest, bytes: Buffer): Promise<void> {
	return new Promise((done, fail) => {
		request.write(bytes, (problem) => (problem ? fail(problem) : done()));
	});
}

async function readAnswer(response: IncomingMessage): Promise<string> {
	let body = '';
	response.setEncoding('utf8');
	for await (const piece of response) {
		body += piece;
		if (body.length > MOST_ANSWER) break;
	}
	return body.slice(0, MOST_ANSWER);
}

function broken(thrown: unknown): PostOutcome {
	return { type: 'broken', cause: readConnectFailure(thrown).cause };
}
