import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import http, { type Agent, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { codeOf } from '#main/lib/files.ts';
import { readConnectFailure } from '#main/service/connect-failure.ts';
import type { BackoffPlan, Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { type Problem, problemOfNetwork } from '#shared/problem.ts';
import { bareHost, isLoopback, isSecure, refused } from '#shared/service-address.ts';

/** Retries of a broken download and their delays: the window keeps trying for half an hour if no byte arrives. */
export const TRIES = {
	window: { baseMs: 1000, capMs: 120_000, tries: 30 },
	command: { baseMs: 1000, capMs: 8000, tries: 4 },
} as const satisfies Record<string, BackoffPlan>;
/** A host that sends nothing for this long counts as gone. */
const IDLE_MS = 30_000;
const MOST_REDIRECTS = 5;
/** Longest catalogue, bytes; Mozilla's has about 2 MB. */
const MOST_CATALOGUE = 32 * 1024 * 1024;
/** No file exceeds its estimate by more than this factor. */
const MOST_OVER_ESTIMATE = 4;

/** The known properties of a file, from the manifest, an earlier download, or its host. */
export interface Expected {
	readonly bytes: number;
	/** True if `bytes` is exact; false if it is an estimate. */
	readonly isExact: boolean;
	/** Null = unknown. */
	readonly sha256: string | null;
}

/** The actual properties of a downloaded file. */
export interface Fetched {
	readonly bytes: number;
	readonly sha256: string;
}

interface Failed {
	readonly problem: Problem;
	/**
	 * When to retry. `later`: the same request may work after a while; `fresh`: at once, from the beginning of the
	 * file; `elsewhere`: only another address may work.
	 */
	readonly again: 'later' | 'fresh' | 'elsewhere' | 'no';
}

export interface DownloadParts {
	/** The proxy agent for an address; undefined = directly. Never rejects. */
	readonly agent: (address: string) => Promise<Agent | undefined>;
	readonly clock: Clock;
	/** The catalogues already read, by address. */
	readonly catalogues: Map<string, unknown>;
}

interface Download {
	readonly url: string;
	/** The id of the model and the name of the file, for problems. */
	readonly model: string;
	readonly name: string;
	/** Its final path. Beside it are `.part`, which holds what has arrived so far, and `.unpacked`. */
	readonly path: string;
	readonly expected: Expected;
	readonly catalogue: string | undefined;
	readonly signal: AbortSignal;
	/** Bytes of the unpacked file so far; `isChecking` while an earlier download's part is read again. */
	readonly progress: (doneBytes: number, isChecking: boolean) => void;
}

class Stopped extends Error {
	readonly failed: Failed;

	constructor(failed: Failed) {
		super(failed.problem.kind);
		this.failed = failed;
	}
}

const stop = (problem: Problem, again: Failed['again']): never => {
	throw new Stopped({ problem, again });
};

/**
 * Fetches a file once: resumes from `.part`, hashes while writing, and renames a file with the right hash. Constant
 * memory. Never rejects. Uses Node's client, because Electron's does not expose a redirect's address and hash.
 */
export async function download(parts: DownloadParts, given: Download): Promise<Result<Fetched, Failed>> {
	const { signal } = given;
	try {
		return ok(await attempt(parts, given));
	} catch (thrown) {
		if (signal.aborted) return err({ problem: { kind: 'cancelled' }, again: 'no' });
		return err(failedOf(thrown, given));
	}
}

function failedOf(thrown: unknown, { url, model, name, path }: Download): Failed {
	if (thrown instanceof Stopped) return thrown.failed;
	const code = codeOf(thrown);
	if (code.startsWith('Z_')) return { problem: { kind: 'model-altered', model, file: name }, again: 'fresh' };
	const onDisk = thrown instanceof Error && 'syscall' in thrown && 'path' in thrown;
	if (onDisk || ['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG'].includes(code))
		return { problem: problemOfDisk(thrown, path), again: 'no' };
	return { problem: problemOfNetwork(readConnectFailure(thrown).cause, url), again: 'later' };
}

/** The problem of a disk that refuses writes. */
export function problemOfDisk(thrown: unknown, path: string): Problem {
	const code = codeOf(thrown, 'not written');
	return ['ENOSPC', 'EDQUOT'].includes(code)
		? { kind: 'disk-full', neededMb: 0, freeMb: 0 }
		: { kind: 'storage-failed', what: `${path} (${code})` };
}

async function attempt(parts: DownloadParts, given: Download): Promise<Fetched> {
	const { url, path, signal } = given;
	const part = `${path}.part`;
	const isPacked = /\.gz$/.test(URL.parse(url)?.pathname ?? '');
	const there = (await stat(part).catch(() => null))?.size ?? 0;
	const isWhole = !isPacked && given.expected.isExact && there === given.expected.bytes;
	const answer = isWhole ? null : await ask(parts, url, there, signal);
	try {
		const from = answer ? rangeStart(answer.response, there) : there;
		if (from === null) {
			await rm(part, { force: true });
			return stop(problemOfNetwork('HTTP_RANGE', url), 'fresh');
		}
		const body = answer === null || answer.response.statusCode === 416 ? null : answer.response;
		const expected = await knownOf(parts, given, answer);
		const told = Number(body?.headers['content-length'] ?? Number.NaN);
		// The host has a file of another length, so there is no need to download any of it.
		if (!isPacked && expected.isExact && told >= 0 && from + told !== expected.bytes)
			await altered(given, from);
		const file = await open(part, from > 0 ? 'a' : 'w', 0o600);
		try {
			const count = countBytes(given, expected);
			const bytes = source(parts.clock, given, count, { part, from, file, body });
			const found = isPacked
				? await unpack(bytes, given, count, told >= 0)
				: await follow(bytes, given, expected, count);
			if (expected.sha256 !== null && found.sha256 !== expected.sha256) await altered(given, from);
			await file.sync();
			await rename(isPacked ? `${path}.unpacked` : part, path);
			if (isPacked) await rm(part, { force: true });
			return found;
		} finally {
			await file.close();
			if (isPacked) await rm(`${path}.unpacked`, { force: true });
		}
	} finally {
		answer?.response.destroy();
	}
}

/** Deletes the wrong file. If the download was resumed, the old part may be to blame: begin anew. */
async function altered({ path, model, name }: Download, from: number): Promise<never> {
	await rm(`${path}.part`, { force: true });
	return stop({ kind: 'model-altered', model, file: name }, from > 0 ? 'fresh' : 'elsewhere');
}

interface Count {
	/** True while the part of an earlier download is read again to check it. */
	isChecking: boolean;
	add(piece: Buffer): Promise<void>;
	bytes(): number;
	found(): Fetched;
}

function countBytes(given: Download, { isExact, bytes: wanted }: Expected): Count {
	const hash: Hash = createHash('sha256');
	const most = isExact ? wanted : wanted * MOST_OVER_ESTIMATE + 65_536;
	let bytes = 0;
	return {
		isChecking: false,
		async add(piece) {
			bytes += piece.length;
			if (bytes > most) await altered(given, 0);
			hash.update(piece);
			given.progress(bytes, this.isChecking);
		},
		bytes: () => bytes,
		found: () => ({ bytes, sha256: hash.digest('hex') }),
	};
}

interface Source {
	readonly part: string;
	readonly from: number;
	readonly file: FileHandle;
	/** Null = everything is there. */
	readonly body: IncomingMessage | null;
}

/** Yields the part already on the disk, then the rest from the network, which it also writes to the disk. */
async function* source(
	clock: Clock,
	{ url, signal }: Download,
	count: Count,
	{ part, from, file, body }: Source,
): AsyncGenerator<Buffer> {
	count.isChecking = true;
	if (from > 0) for await (const piece of createReadStream(part, { end: from - 1, signal })) yield piece;
	count.isChecking = false;
	if (!body) return;
	const pieces = body[Symbol.asyncIterator]();
	for (;;) {
		const next = await within(clock, pieces.next(), url);
		if (signal.aborted) throw new Error('cancelled');
		if (next.done) return;
		const piece: Buffer = next.value;
		await file.write(piece);
		yield piece;
	}
}

async function follow(
	bytes: AsyncIterable<Buffer>,
	{ url }: Download,
	expected: Expected,
	count: Count,
): Promise<Fetched> {
	for await (const piece of bytes) await count.add(piece);
	// If the answer states no length, one that was cut off looks complete.
	if (expected.isExact && count.bytes() < expected.bytes) stop(problemOfNetwork('CUT_OFF', url), 'later');
	return count.found();
}

/** `isWhole`: the host stated the length of its answer, and sent all of it. */
async function unpack(
	bytes: AsyncIterable<Buffer>,
	given: Download,
	count: Count,
	isWhole: boolean,
): Promise<Fetched> {
	const { url, path } = given;
	const out = await open(`${path}.unpacked`, 'w', 0o600);
	try {
		await pipeline(bytes, createGunzip(), async (unpacked: AsyncIterable<Buffer>) => {
			for await (const piece of unpacked) {
				await count.add(piece);
				await out.write(piece);
			}
		});
		await out.sync();
		return count.found();
	} catch (thrown) {
		// The archive ended early: keep the part that arrived.
		if (codeOf(thrown) === 'Z_BUF_ERROR' && !isWhole) stop(problemOfNetwork('CUT_OFF', url), 'later');
		if (codeOf(thrown).startsWith('Z_')) await rm(`${path}.part`, { force: true });
		throw thrown;
	} finally {
		await out.close();
	}
}

/** Offset at which the answer begins; null = not the requested one. */
function rangeStart(response: IncomingMessage, asked: number): number | null {
	const said = response.headers['content-range'] ?? '';
	// Everything is there already.
	if (response.statusCode === 416) return asked > 0 && said === `bytes */${asked}` ? asked : null;
	if (response.statusCode !== 206) return 0;
	return said.startsWith(`bytes ${asked}-`) ? asked : null;
}

interface Answer {
	readonly response: IncomingMessage;
	/** Hash and size from the headers of the hub's redirect. */
	readonly sha256: string | null;
	readonly bytes: number | null;
}

/** Follows redirects, but never from an encrypted to an unencrypted address. */
async function ask(parts: DownloadParts, first: string, from: number, signal: AbortSignal): Promise<Answer> {
	let url = first;
	let sha256: string | null = null;
	let bytes: number | null = null;
	for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
		const response = await get(parts, url, from, signal);
		const { statusCode: status = 0, headers } = response;
		sha256 ??= /^"?([0-9a-f]{64})"?$/.exec(String(headers['x-linked-etag'] ?? ''))?.[1] ?? null;
		bytes ??= Number(headers['x-linked-size']) || null;
		if (status === 200 || status === 206 || status === 416) {
			if (status !== 416 && /^text\/html\b/i.test(headers['content-type'] ?? '')) {
				response.destroy();
				stop({ kind: 'not-the-service', status }, 'elsewhere');
			}
			return { response, sha256, bytes };
		}
		response.destroy();
		const next = status >= 300 && status < 400 && headers.location ? URL.parse(headers.location, url) : null;
		if (!next) return stop(problemOfStatus(status, headers), isPassing(status) ? 'later' : 'elsewhere');
		const isFine = isSecure(next) || (isPlainLoopback(next) && isPlainLoopback(new URL(url)));
		if (!isFine) return stop(refused(next.href), 'elsewhere');
		url = next.href;
	}
	return stop({ kind: 'not-the-service', status: 302 }, 'elsewhere');
}

const isPlainLoopback = (url: URL) => url.protocol === 'http:' && isLoopback(bareHost(url));
const isPassing = (status: number) => status >= 500 || status === 408 || status === 429;

function problemOfStatus(status: number, headers: IncomingMessage['headers']): Problem {
	if (/^text\/html\b/i.test(headers['content-type'] ?? '') && status < 400)
		return { kind: 'not-the-service', status };
	return { kind: 'service-failed', status, detail: '' };
}

async function get(
	parts: DownloadParts,
	url: string,
	from: number,
	signal: AbortSignal,
): Promise<IncomingMessage> {
	const isEncrypted = url.toLowerCase().startsWith('https:');
	const agent = await parts.agent(url);
	const asked = (isEncrypted ? https : http).request(url, {
		headers: {
			accept: '*/*',
			'accept-encoding': 'identity',
			...(from > 0 ? { range: `bytes=${from}-` } : {}),
		},
		signal,
		// Check the certificate even if the environment turns that off.
		...(isEncrypted ? { rejectUnauthorized: true } : {}),
		...(agent ? { agent } : {}),
	});
	const answered = new Promise<IncomingMessage>((done, fail) => {
		asked.once('response', done);
		asked.once('error', fail);
	});
	// A later error ends the body, which reports it.
	asked.on('error', () => {});
	asked.end();
	return within(parts.clock, answered, url).catch((thrown) => {
		asked.destroy();
		throw thrown;
	});
}

/** Waits for bytes, but not indefinitely. */
function within<Value>(clock: Clock, work: Promise<Value>, url: string): Promise<Value> {
	return new Promise((done, fail) => {
		const cancel = clock.after(IDLE_MS, () => {
			fail(new Stopped({ problem: problemOfNetwork('SILENT', url), again: 'later' }));
		});
		work.then(done, fail).finally(cancel);
	});
}

/** The expected size and hash: from the manifest or an earlier download, else from the host. */
async function knownOf(parts: DownloadParts, given: Download, answer: Answer | null): Promise<Expected> {
	const { expected, catalogue, url, signal } = given;
	if (expected.sha256 !== null) return expected;
	const said = (bytes: unknown, sha256: string): Expected =>
		typeof bytes === 'number' ? { bytes, isExact: true, sha256 } : { ...expected, sha256 };
	if (answer?.sha256) return said(answer.bytes, answer.sha256);
	const base = catalogue?.replace(/db\/[^/]*$/, '');
	if (!catalogue || !base || !url.startsWith(base)) return expected;
	const entry = entryOf(await catalogueOf(parts, catalogue, signal), url.slice(base.length));
	const hash = entry?.uncompressedHash;
	return typeof hash === 'string' ? said(entry?.uncompressedSize, hash) : expected;
}

async function catalogueOf(parts: DownloadParts, url: string, signal: AbortSignal): Promise<unknown> {
	if (!parts.catalogues.has(url)) {
		const { response } = await ask(parts, url, 0, signal);
		try {
			parts.catalogues.set(url, await readJson(parts.clock, response, url));
		} finally {
			response.destroy();
		}
	}
	return parts.catalogues.get(url);
}

async function readJson(clock: Clock, response: IncomingMessage, url: string): Promise<unknown> {
	const all: Buffer[] = [];
	let bytes = 0;
	const pieces = response[Symbol.asyncIterator]();
	for (;;) {
		const next = await within(clock, pieces.next(), url);
		if (next.done) break;
		const piece: Buffer = next.value;
		bytes += piece.length;
		if (bytes > MOST_CATALOGUE) return null;
		all.push(piece);
	}
	try {
		return JSON.parse(Buffer.concat(all).toString('utf8'));
	} catch {
		return null;
	}
}

interface CatalogueEntry {
	readonly path: string;
	readonly uncompressedHash?: unknown;
	readonly uncompressedSize?: unknown;
}

/** Finds the entry for that path, wherever it is in the catalogue. */
function entryOf(value: unknown, path: string): CatalogueEntry | null {
	if (typeof value !== 'object' || value === null) return null;
	if ('path' in value && value.path === path) return { ...value, path };
	for (const one of Object.values(value)) {
		const found = entryOf(one, path);
		if (found) return found;
	}
	return null;
}
