import { randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { type BackoffPlan, backoffDelay, type Cancel, type Clock, pause } from '#shared/lib/clock.ts';
import { type Logger, redactKnown } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { type Problem, problemOfNetwork, type ServiceErrorRecord } from '#shared/problem.ts';
import type { UploadDescriptor } from '#shared/protocol/cloned-voice-record.ts';
import { readErrorEnvelope } from '#shared/protocol/envelope.ts';
import { plainText } from '#shared/protocol/json.ts';
import { readable } from '#shared/protocol/service-error.ts';
import { readConnectFailure } from './connect-failure.ts';

/** A multipart form around one file: the bytes before the file, and those after it. */
interface UploadForm {
	readonly contentType: string;
	readonly head: Buffer;
	readonly tail: Buffer;
}

/** Builds the form: every field of the descriptor unchanged and in order, and `file` last (protocol 7.2). */
function uploadForm(
	{ fields }: Pick<UploadDescriptor, 'fields'>,
	file: { readonly filename: string; readonly mimeType: string },
	boundary: string,
): UploadForm {
	const before = fields
		// A second `file` would be mistaken for ours.
		.filter(([name]) => name !== 'file')
		.map(
			([name, value]) =>
				`--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"\r\n\r\n${value}\r\n`,
		);
	const start = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped(file.filename)}"\r\nContent-Type: ${file.mimeType}\r\n\r\n`;
	return {
		contentType: `multipart/form-data; boundary=${boundary}`,
		head: Buffer.from([...before, start].join('')),
		tail: Buffer.from(`\r\n--${boundary}--\r\n`),
	};
}

/** Escapes names as browsers do (the HTML standard's multipart encoding). */
function escaped(name: string): string {
	return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

/** Bytes of the file in memory at a time. */
export const PIECE_BYTES = 65_536;
/** A connection that takes no byte for this long is dead. */
const IDLE_MS = 30_000;
/** How long to wait for an answer once the storage has received everything. */
const ANSWER_MS = 60_000;
/** A refusal may arrive a moment after the connection broke while we were still sending. */
const LATE_ANSWER_MS = 1000;
const MOST_ANSWER = 65_536;

interface PostParts {
	readonly url: string;
	readonly form: UploadForm;
	/** The file, open for reading; the caller closes it. */
	readonly file: FileHandle;
	readonly fileBytes: number;
	readonly progress: (sentBytes: number) => void;
	readonly signal: AbortSignal;
	readonly clock: Clock;
	readonly agent: Agent | undefined;
}

/** `shortened`: the file ended early; `unreadable`: it could not be read any further. */
type PostOutcome =
	| { readonly type: 'answer'; readonly status: number; readonly body: string }
	| { readonly type: 'broken'; readonly cause: string }
	| { readonly type: 'late'; readonly afterMs: number }
	| { readonly type: 'shortened' }
	| { readonly type: 'unreadable' }
	| { readonly type: 'cancelled' };

/**
 * Makes one POST with a known length, a piece of the file in memory at a time. Does not use `fetch`:
 * Electron's would send the file in chunks, which pre-signed forms do not accept, or collect it in memory
 * first. Never rejects; leaves no socket behind. Redirects are returned as answers.
 */
export function postForm(parts: PostParts): Promise<PostOutcome> {
	const { form, fileBytes, signal, clock } = parts;
	if (signal.aborted) return Promise.resolve({ type: 'cancelled' });
	return new Promise((done) => {
		const request = openRequest(parts);
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
			// The connection's `error` event has the reason.
			() => {},
		);
	});
}

function openRequest({ url, form, fileBytes, agent }: PostParts): ClientRequest {
	const isSecure = url.toLowerCase().startsWith('https:');
	return (isSecure ? https : http).request(url, {
		method: 'POST',
		headers: {
			'content-type': form.contentType,
			'content-length': form.head.length + fileBytes + form.tail.length,
			accept: '*/*',
		},
		// Check the certificate even if the environment turns that off.
		...(isSecure ? { rejectUnauthorized: true } : {}),
		...(agent ? { agent } : {}),
	});
}

/** Sends everything. Rejects if the connection stops accepting data. */
async function sendAll(
	request: ClientRequest,
	form: UploadForm,
	file: FileHandle,
	fileBytes: number,
	moved: (sentBytes: number) => void,
): Promise<'whole' | 'shortened' | 'unreadable'> {
	await write(request, form.head);
	for (let sent = 0; sent < fileBytes; ) {
		// Use a new buffer each time: the socket may still hold the previous one.
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

interface UploadRefusal {
	readonly problem: Problem;
	/** The same address may accept the upload a little later. */
	readonly again: boolean;
}

/** The storage's codes for an expired URL: S3, and stores with the same API. */
const EXPIRED = /expired|ExpiredToken|not valid in the specified time/i;

/** Any 2xx without an `<Error>` is success (protocol 7.2). `body` may be cut. */
export function judgeUpload(status: number, body: string): Result<void, UploadRefusal> {
	const error = /<Error[\s>]/i.test(body);
	if (status >= 200 && status < 300 && !error) return ok();
	const { code, detail, errors } = error ? readXmlError(body) : readJsonError(status, body);
	// An `<Error>` under a 200 means that the storage failed after it had begun to answer.
	const isTransient = status === 408 || status === 429 || status >= 500 || (error && status < 300);
	if (!isTransient && EXPIRED.test(`${code} ${detail}`)) {
		return err({ problem: { kind: 'upload-expired' }, again: false });
	}
	const support = { ...(code !== '' && { code }), ...(errors.length > 0 && { errors: [...errors] }) };
	return err({
		problem: { kind: 'upload-refused', status, detail, ...support },
		again: isTransient || code === 'RequestTimeout' || code === 'SlowDown',
	});
}

interface StorageError {
	readonly code: string;
	readonly detail: string;
	readonly errors: readonly ServiceErrorRecord[];
}

function readXmlError(body: string): StorageError {
	const part = (name: string) => new RegExp(`<${name}>([^<]{0,2000})</${name}>`, 'i').exec(body)?.[1] ?? '';
	return { code: plainText(part('Code'), 64), detail: readable(part('Message')), errors: [] };
}

function readJsonError(status: number, body: string): StorageError {
	if (!body.trimStart().startsWith('{')) return { code: '', detail: '', errors: [] };
	const { code, detail, errors } = readErrorEnvelope(status, body);
	return { code: code ?? '', detail, errors };
}

/** Attempts at one address; each sends the file from the beginning. */
const PLAN: BackoffPlan = { baseMs: 1000, capMs: 20_000, tries: 4 };

export interface UploadFile {
	readonly path: string;
	/** Length when the file was chosen: with another length or modification time it is another file. */
	readonly bytes: number;
	readonly modifiedMs: number;
	/** The user's name for the file, for problems. */
	readonly name: string;
	/** The service's name for the file. */
	readonly filename: string;
	readonly mimeType: string;
}

export interface UploadOptions {
	readonly file: UploadFile;
	/** Bytes of the file that have left this program; starts at 0 with each attempt. */
	readonly progress: (sentBytes: number) => void;
	readonly signal: AbortSignal;
}

export type Uploader = ReturnType<typeof createUploader>;

/** Sends a file to a pre-signed address: streamed, its length known, without our own credential (protocol 7.2). */
export function createUploader(parts: {
	readonly clock: Clock;
	readonly random: () => number;
	readonly log: Logger;
	/** The proxy agent for an address; undefined = directly. Never rejects. */
	readonly agent?: (address: string) => Promise<Agent | undefined>;
}) {
	async function once(to: UploadDescriptor, options: UploadOptions): Promise<Result<void, UploadRefusal>> {
		const { file, progress, signal } = options;
		const opened = await openUnchanged(file);
		if (!opened.ok) return err({ problem: opened.error, again: false });
		try {
			const form = uploadForm(to, file, `dragoman-${randomBytes(18).toString('hex')}`);
			progress(0);
			const answer = await postForm({
				url: to.url,
				form,
				file: opened.value,
				fileBytes: file.bytes,
				progress,
				signal,
				clock: parts.clock,
				agent: await parts.agent?.(to.url),
			});
			switch (answer.type) {
				case 'answer':
					return judgeUpload(answer.status, redactKnown(answer.body, permissionsOf(to)));
				case 'cancelled':
					return err({ problem: { kind: 'cancelled' }, again: false });
				case 'shortened':
					return err({ problem: changed(file), again: false });
				case 'unreadable':
					return err({ problem: unusable(file, 'it cannot be read'), again: false });
				case 'late':
					return err({
						problem: { kind: 'timed-out', what: 'upload', afterMs: answer.afterMs },
						again: true,
					});
				case 'broken':
					return err({ problem: problemOfNetwork(answer.cause, to.url), again: true });
			}
		} finally {
			await opened.value.close();
		}
	}

	return {
		/** Never rejects. Never log the address or the form's fields: they grant permission to upload. */
		async send(to: UploadDescriptor, options: UploadOptions): Promise<Result<void, Problem>> {
			for (let attempt = 1; ; attempt += 1) {
				if (options.signal.aborted) return err({ kind: 'cancelled' });
				const sent = await once(to, options);
				if (sent.ok) return ok();
				const { problem, again } = sent.error;
				const delayMs = again ? backoffDelay(PLAN, attempt, parts.random) : null;
				const facts = { attempt, kind: problem.kind, status: 'status' in problem ? problem.status : 0 };
				if (delayMs === null) {
					parts.log.warn('upload failed', facts);
					return err(problem);
				}
				parts.log.debug('upload tried again', { ...facts, delayMs });
				if (!(await pause(parts.clock, delayMs, options.signal))) return err({ kind: 'cancelled' });
			}
		},
	};
}

/** Secrets that permit an upload to that address; an answer of the storage may repeat them. */
function permissionsOf({ url, fields }: UploadDescriptor): readonly string[] {
	const ofForm = fields.filter(([name]) => /policy|signature|token|credential|accesskey/i.test(name));
	return [...ofForm.map(([, value]) => value), ...(URL.parse(url)?.searchParams.values() ?? [])];
}

function unusable({ name }: UploadFile, reason: string): Problem {
	return { kind: 'file-unreadable', file: name, reason };
}

function changed(file: UploadFile): Problem {
	return unusable(file, 'it has changed since it was chosen');
}

async function openUnchanged(file: UploadFile): Promise<Result<FileHandle, Problem>> {
	try {
		const handle = await open(file.path, 'r');
		const { size, mtimeMs } = await handle.stat();
		if (size === file.bytes && Math.abs(mtimeMs - file.modifiedMs) < 1) return ok(handle);
		await handle.close();
		return err(changed(file));
	} catch {
		return err(unusable(file, 'it is not there any more'));
	}
}
