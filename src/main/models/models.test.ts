import { createHash, randomBytes } from 'node:crypto';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeLock } from '#main/lib/shared-file.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { ModelEntry, ModelsState } from '#shared/host/models.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Model } from '#shared/models/manifest.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createModels, type Models, type ModelsParts } from './models.ts';

const BIG = randomBytes(900_000);
const SMALL = randomBytes(1000);
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

type Reply = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

let folder: string;
let server: Server;
let base: string;
/** The answers of a path, in turn; the last repeats. Without one the file is sent unchanged, with ranges. */
let replies: Map<string, Reply[]>;
let bodies: Map<string, Buffer>;
let asked: string[];
let store: Models;

const whole: Reply = (request, response, body) => {
	const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? -1);
	if (from < 0) {
		response.writeHead(200, { 'content-length': body.length }).end(body);
	} else if (from >= body.length) {
		response.writeHead(416, { 'content-range': `bytes */${body.length}` }).end();
	} else {
		const range = `bytes ${from}-${body.length - 1}/${body.length}`;
		response.writeHead(206, { 'content-length': body.length - from, 'content-range': range });
		response.end(body.subarray(from));
	}
};
/** Breaks the connection once so many bytes of what was asked for are on the disk: what is on its way is lost. */
const cutAfter =
	(bytes: number): Reply =>
	(request, response, body) => {
		const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
		const range = `bytes ${from}-${body.length - 1}/${body.length}`;
		const part = join(folder, `${(request.url ?? '').replace(/\.gz$/, '')}.part`);
		response.writeHead(from > 0 ? 206 : 200, {
			'content-length': body.length - from,
			...(from > 0 && { 'content-range': range }),
		});
		response.write(body.subarray(from, from + bytes));
		const timer = setInterval(() => {
			if ((statSync(part, { throwIfNoEntry: false })?.size ?? 0) < from + bytes) return;
			clearInterval(timer);
			response.destroy();
		}, 5);
		response.once('close', () => clearInterval(timer));
	};
const html: Reply = (_, response) =>
	response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>');
const altered: Reply = (_, response, body) => {
	const other = Buffer.from(body);
	other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
	response.writeHead(200, { 'content-length': other.length }).end(other);
};

function model(id: string, files: Model['files']): Model {
	return { id, role: 'translator', languages: ['en', 'pt'], licence: 'MIT', quality: '', files };
}
const file = (id: string, name: string, body: Buffer, sha256: string | null = hashOf(body)) => ({
	name,
	urls: [`${base}/${id}/${name}`],
	bytes: body.length,
	sha256,
});

function open(models: readonly Model[], parts: Partial<ModelsParts> = {}): Models {
	return createModels({
		folder,
		mirror: '',
		agent: async () => undefined,
		clock: createSystemClock(),
		random: () => 0.01,
		log: silentLogger,
		plan: { baseMs: 1000, capMs: 1000, tries: 3 },
		models,
		...parts,
	});
}

/** The state of a model once nothing happens to it any more. */
async function settled(of: Models, id: string): Promise<ModelEntry> {
	for (;;) {
		const entry = entryOf(await of.read(), id);
		if (!['waiting', 'downloading', 'checking'].includes(entry.state)) return entry;
		await new Promise((done) => setTimeout(done, 10));
	}
}
function entryOf(state: ModelsState, id: string): ModelEntry {
	const entry = state.models.find((one) => one.id === id);
	if (!entry) throw new Error(`no ${id}`);
	return entry;
}

beforeEach(async () => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-models-'));
	[replies, bodies, asked] = [new Map(), new Map(), []];
	server = createServer((request, response) => {
		const path = request.url ?? '';
		asked.push(`${path} ${request.headers.range ?? ''}`.trim());
		const body = bodies.get(path);
		const queue = replies.get(path) ?? [];
		const reply = queue.length > 1 ? queue.shift() : queue[0];
		if (!body) response.writeHead(404).end('nothing here');
		else (reply ?? whole)(request, response, body);
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
	await store?.close();
	server.closeAllConnections();
	await new Promise((done) => server.close(done));
	rmSync(folder, { recursive: true, force: true });
});

/** One of two files, served. */
function offered(id = 'one'): Model {
	bodies.set(`/${id}/big.bin`, BIG);
	bodies.set(`/${id}/small.txt`, SMALL);
	return model(id, [file(id, 'big.bin', BIG), file(id, 'small.txt', SMALL)]);
}

test('downloads two models one after the other, and tells how far it is', async () => {
	store = open([offered('one'), offered('two')]);
	const states: ModelsState[] = [];
	store.listen((state) => states.push(state));
	expect(entryOf(await store.read(), 'one')).toMatchObject({
		state: 'available',
		bytes: 901_000,
		doneBytes: 0,
	});
	expect(await store.add(['one', 'two'])).toEqual(ok());
	expect(entryOf(await store.read(), 'two').state).toBe('waiting');
	for (const id of ['one', 'two']) {
		expect(await settled(store, id)).toMatchObject({ state: 'installed', problem: null, doneBytes: 901_000 });
		expect(readFileSync(join(folder, id, 'big.bin')).equals(BIG)).toBe(true);
		expect(readdirSync(join(folder, id)).filter((name) => name.endsWith('.part'))).toEqual([]);
	}
	expect(asked).toEqual(['/one/big.bin', '/one/small.txt', '/two/big.bin', '/two/small.txt']);
	expect(states.map(({ revision }) => revision)).toEqual(
		states.map(({ revision }) => revision).toSorted((a, b) => a - b),
	);
	expect(states.some((state) => entryOf(state, 'one').state === 'downloading')).toBe(true);
	// A second time there is nothing to do.
	expect(await store.add(['one'])).toEqual(ok());
	expect((await settled(store, 'one')).state).toBe('installed');
	expect(asked).toHaveLength(4);
});

test('goes on where a lost connection stopped, by itself, and says so meanwhile', async () => {
	store = open([offered()]);
	replies.set('/one/big.bin', [cutAfter(400_000), cutAfter(100_000), whole]);
	const waited: ModelEntry[] = [];
	store.listen((state) => {
		const entry = entryOf(state, 'one');
		if (entry.state === 'waiting' && entry.problem) waited.push(entry);
	});
	await store.add(['one']);
	expect(await settled(store, 'one')).toMatchObject({ state: 'installed', problem: null });
	expect(readFileSync(join(folder, 'one', 'big.bin')).equals(BIG)).toBe(true);
	expect(asked.slice(0, 3)).toEqual([
		'/one/big.bin',
		'/one/big.bin bytes=400000-',
		'/one/big.bin bytes=500000-',
	]);
	expect(waited.map(({ problem }) => problem?.kind)).toEqual(['service-unreachable', 'service-unreachable']);
});

test('begins again when the host ignores where to go on', async () => {
	store = open([offered()]);
	const ignores: Reply = (_, response, body) =>
		response.writeHead(200, { 'content-length': body.length }).end(body);
	replies.set('/one/big.bin', [cutAfter(400_000), ignores]);
	await store.add(['one']);
	expect((await settled(store, 'one')).state).toBe('installed');
	expect(readFileSync(join(folder, 'one', 'big.bin')).equals(BIG)).toBe(true);
});

test('stops after the last try without a byte, keeps what came, and goes on when asked again', async () => {
	store = open([offered()]);
	replies.set('/one/big.bin', [cutAfter(400_000), cutAfter(0)]);
	await store.add(['one']);
	const stopped = await settled(store, 'one');
	expect(stopped).toMatchObject({
		state: 'paused',
		doneBytes: 400_000,
		problem: { kind: 'service-unreachable' },
	});
	// The first had bytes: then three tries without any.
	expect(asked).toHaveLength(1 + 2);
	replies.clear();
	await store.add(['one']);
	expect((await settled(store, 'one')).state).toBe('installed');
	expect(asked[3]).toBe('/one/big.bin bytes=400000-');
});

test('goes on in the next run of the program', async () => {
	const offer = offered();
	store = open([offer]);
	replies.set('/one/big.bin', [cutAfter(400_000), cutAfter(0)]);
	await store.add(['one']);
	await settled(store, 'one');
	await store.close();
	replies.clear();
	store = open([offer]);
	expect(entryOf(await store.read(), 'one')).toMatchObject({ state: 'paused', doneBytes: 400_000 });
	await store.add(['one']);
	expect((await settled(store, 'one')).state).toBe('installed');
	expect(asked.at(-2)).toBe('/one/big.bin bytes=400000-');
});

test.each([
	['a web page', html, 'not-the-service'],
	['altered bytes', altered, 'model-altered'],
	[
		'a byte too many',
		((_, response, body) => response.end(Buffer.concat([body, SMALL.subarray(0, 1)]))) as Reply,
		'model-altered',
	],
	[
		'a cut answer without a length',
		((_, response, body) => response.writeHead(200).end(body.subarray(0, -1))) as Reply,
		'installed',
	],
] as const)('does not take %s for the model', async (_, reply, kind) => {
	store = open([offered()]);
	replies.set('/one/big.bin', [reply, ...(kind === 'installed' ? [whole] : [])]);
	await store.add(['one']);
	const found = await settled(store, 'one');
	if (kind === 'installed') {
		expect(found.state).toBe('installed');
	} else {
		expect(found).toMatchObject({ state: 'paused', problem: { kind } });
		expect(readdirSync(join(folder, 'one'))).not.toContain('big.bin');
		expect(readdirSync(join(folder, 'one'))).not.toContain('big.bin.part');
	}
});

test('does not go on for ever with a host that has less than it should, and no ranges', async () => {
	store = open([offered()]);
	replies.set('/one/big.bin', [(_, response, body) => response.writeHead(200).end(body.subarray(0, -1))]);
	await store.add(['one']);
	expect((await settled(store, 'one')).problem?.kind).toBe('service-unreachable');
	expect(asked).toHaveLength(1 + 2);
	replies.set('/one/big.bin', [
		(_, response, body) =>
			response.writeHead(200, { 'content-length': body.length - 1 }).end(body.subarray(0, -1)),
	]);
	await store.add(['one']);
	expect((await settled(store, 'one')).problem?.kind).toBe('model-altered');
});

test('tries once more from the beginning when what it went on from was something else', async () => {
	store = open([offered()]);
	mkdirSync(join(folder, 'one'));
	writeFileSync(join(folder, 'one', 'big.bin.part'), randomBytes(1000));
	await store.add(['one']);
	expect((await settled(store, 'one')).state).toBe('installed');
	expect(asked).toEqual(['/one/big.bin bytes=1000-', '/one/big.bin', '/one/small.txt']);
});

test('takes the second host when the first has another file', async () => {
	const offer = offered();
	bodies.set('/other/big.bin', BIG);
	replies.set('/one/big.bin', [altered]);
	const [big, small] = offer.files;
	if (!big || !small) throw new Error('no files');
	store = open([{ ...offer, files: [{ ...big, urls: [...big.urls, `${base}/other/big.bin`] }, small] }]);
	await store.add(['one']);
	expect((await settled(store, 'one')).state).toBe('installed');
});

test('unpacks while it writes, also after a lost connection', async () => {
	const packed = gzipSync(BIG);
	bodies.set('/one/big.bin.gz', packed);
	const packedFile = { ...file('one', 'big.bin', BIG), urls: [`${base}/one/big.bin.gz`] };
	store = open([model('one', [packedFile])]);
	replies.set('/one/big.bin.gz', [cutAfter(400_000), whole]);
	await store.add(['one']);
	expect(await settled(store, 'one')).toMatchObject({ state: 'installed', doneBytes: BIG.length });
	expect(readFileSync(join(folder, 'one', 'big.bin')).equals(BIG)).toBe(true);
	expect(readdirSync(join(folder, 'one')).toSorted()).toEqual(['.lock', 'big.bin', 'installed.json']);
	expect(asked).toEqual(['/one/big.bin.gz', '/one/big.bin.gz bytes=400000-']);
});

test('learns a hash from the catalogue of the host, keeps it, and refuses another file', async () => {
	bodies.set('/models/x/big.bin.gz', gzipSync(BIG));
	const entry = (sha256: string) => ({
		path: 'models/x/big.bin.gz',
		uncompressedHash: sha256,
		uncompressedSize: BIG.length,
	});
	const catalogue = (sha256: string) =>
		Buffer.from(JSON.stringify({ models: { 'en-pt': [{ files: { model: entry(sha256) } }] } }));
	bodies.set('/db/models.json', catalogue(hashOf(SMALL)));
	const learnt = {
		name: 'big.bin',
		urls: [`${base}/models/x/big.bin.gz`],
		bytes: 800_000,
		sha256: null,
		catalogue: `${base}/db/models.json`,
	};
	store = open([model('one', [learnt])]);
	await store.add(['one']);
	expect(await settled(store, 'one')).toMatchObject({
		problem: { kind: 'model-altered', model: 'one', file: 'big.bin' },
	});
	await store.close();
	bodies.set('/db/models.json', catalogue(hashOf(BIG)));
	store = open([model('one', [learnt])]);
	await store.add(['one']);
	expect(await settled(store, 'one')).toMatchObject({ state: 'installed', bytes: BIG.length });
	const kept = JSON.parse(readFileSync(join(folder, 'one', 'installed.json'), 'utf8'));
	expect(kept.files['big.bin']).toEqual({ bytes: BIG.length, sha256: hashOf(BIG) });
});

test('learns a hash from a hub, which tells it while it leads elsewhere', async () => {
	bodies.set('/one/big.bin', BIG);
	bodies.set('/elsewhere', BIG);
	const leads =
		(sha256: string): Reply =>
		(_, response) =>
			response
				.writeHead(302, {
					location: '/elsewhere?signed=1',
					'x-linked-etag': `"${sha256}"`,
					'x-linked-size': BIG.length,
				})
				.end();
	bodies.set('/elsewhere?signed=1', BIG);
	replies.set('/one/big.bin', [leads(hashOf(SMALL)), leads(hashOf(BIG))]);
	store = open([model('one', [{ ...file('one', 'big.bin', BIG, null), bytes: 1000 + BIG.length }])]);
	await store.add(['one']);
	expect((await settled(store, 'one')).problem?.kind).toBe('model-altered');
	await store.add(['one']);
	expect(await settled(store, 'one')).toMatchObject({ state: 'installed', bytes: BIG.length });
});

test('does not follow a redirect out of this computer without encryption', async () => {
	store = open([offered()]);
	replies.set('/one/big.bin', [
		(_, response) => response.writeHead(302, { location: 'http://models.example/x?key=secret' }).end(),
	]);
	await store.add(['one']);
	const { problem } = await settled(store, 'one');
	expect(problem?.kind).toBe('address-refused');
	expect(JSON.stringify(problem)).not.toContain('secret');
});

test('pauses, and throws away what came when it is cancelled', async () => {
	store = open([offered('one'), offered('two')]);
	const hangs: Reply = (_, response, body) => {
		response.writeHead(200, { 'content-length': body.length });
		response.write(body.subarray(0, 300_000));
	};
	replies.set('/one/big.bin', [hangs]);
	await store.add(['one', 'two']);
	while (entryOf(await store.read(), 'one').doneBytes < 300_000)
		await new Promise((done) => setTimeout(done, 5));
	await store.pause('two');
	expect(entryOf(await store.read(), 'two').state).not.toBe('waiting');
	await store.pause('one');
	expect(await settled(store, 'one')).toMatchObject({ state: 'paused', doneBytes: 300_000, problem: null });
	await store.cancel('one');
	expect(entryOf(await store.read(), 'one')).toMatchObject({ state: 'available', doneBytes: 0 });
	expect(readdirSync(folder)).not.toContain('one');
	replies.clear();
	await store.add(['two']);
	expect((await settled(store, 'two')).state).toBe('installed');
	expect(asked.filter((one) => one.startsWith('/two/big.bin'))).toHaveLength(1);
});

test('two programs that add the same do each other no harm', async () => {
	const offer = offered();
	store = open([offer]);
	const other = open([offer]);
	await Promise.all([store.add(['one']), other.add(['one'])]);
	expect((await settled(store, 'one')).state).toBe('installed');
	expect((await settled(other, 'one')).state).toBe('installed');
	expect(readFileSync(join(folder, 'one', 'big.bin')).equals(BIG)).toBe(true);
	expect(asked).toEqual(['/one/big.bin', '/one/small.txt']);
	await other.close();
});

test('calls a model broken whose file is gone or has another size, and mends it with what is missing', async () => {
	store = open([offered()]);
	await store.add(['one']);
	await settled(store, 'one');
	writeFileSync(join(folder, 'one', 'small.txt'), 'another');
	const problem = { kind: 'model-damaged', model: 'one', file: 'small.txt' };
	expect(entryOf(await store.read(), 'one')).toMatchObject({ state: 'broken', problem });
	rmSync(join(folder, 'one', 'small.txt'));
	expect(entryOf(await store.read(), 'one')).toMatchObject({ state: 'broken', problem });
	await store.add(['one']);
	expect((await settled(store, 'one')).state).toBe('installed');
	expect(asked.slice(2)).toEqual(['/one/small.txt']);
});

test('the data for voices goes with the last of them', async () => {
	const voice = (id: string): Model => ({ ...offered(), id, role: 'voice' });
	store = open([voice('one'), voice('two')]);
	for (const name of ['one', 'two', 'espeak-ng-data']) mkdirSync(join(folder, name), { recursive: true });
	expect(await store.remove(['one'])).toEqual(ok());
	expect(readdirSync(folder).toSorted()).toEqual(['espeak-ng-data', 'two']);
	expect(await store.remove(['two'])).toEqual(ok());
	expect(readdirSync(folder)).toEqual([]);
});

test('refuses to remove what is in use, here or by another program', async () => {
	let used: string[] = ['one'];
	store = open([offered()], { isInUse: (id) => used.includes(id) });
	await store.add(['one']);
	await settled(store, 'one');
	const inUse = err({ kind: 'model-in-use', model: 'one' });
	expect(await store.remove(['one'])).toEqual(inUse);
	used = [];
	const lock = takeLock(join(folder, 'one', '.lock'));
	expect(await store.remove(['one'])).toEqual(inUse);
	lock?.release();
	expect(await store.remove(['one'])).toEqual(ok());
	expect(readdirSync(folder)).toEqual([]);
	expect(await store.remove(['one'])).toEqual(ok());
	expect(await store.remove(['strange'])).toEqual(err({ kind: 'not-found', what: 'model', name: 'strange' }));
});

test('asks for no byte when the disk has no room', async () => {
	const huge = { ...file('one', 'big.bin', BIG), bytes: 1e15 };
	store = open([model('one', [huge])]);
	await store.add(['one']);
	const { problem } = await settled(store, 'one');
	expect(problem).toMatchObject({ kind: 'disk-full', neededMb: 1e9 + 50 });
	// Room for what is unpacked from it, too.
	store = open([model('two', [{ ...huge, package: 'two' }])]);
	await store.add(['two']);
	expect((await settled(store, 'two')).problem).toMatchObject({ neededMb: 4e9 + 50 });
	expect(asked).toEqual([]);
});

test.skipIf(!existsSync('/dev/full'))(
	'says how much room is missing when the disk fills up meanwhile',
	async () => {
		store = open([offered()]);
		mkdirSync(join(folder, 'one'));
		symlinkSync('/dev/full', join(folder, 'one', 'big.bin.part'));
		await store.add(['one']);
		expect((await settled(store, 'one')).problem).toMatchObject({ kind: 'disk-full', neededMb: 1 });
		expect(asked).toHaveLength(1);
	},
);

test('gives up a host that falls silent, and goes on with what it sent', async () => {
	const clock = createManualClock();
	store = open([offered()], { clock });
	const silent: Reply = (_, response, body) => {
		response.writeHead(200, { 'content-length': body.length });
		response.write(body.subarray(0, 300_000));
	};
	replies.set('/one/big.bin', [silent, whole]);
	await store.add(['one']);
	const now = async () => entryOf(await store.read(), 'one');
	while ((await now()).doneBytes < 300_000) await new Promise((done) => setTimeout(done, 5));
	clock.advance(29_999);
	await new Promise((done) => setTimeout(done, 50));
	expect((await now()).state).toBe('downloading');
	clock.advance(1);
	while ((await now()).state === 'downloading') await new Promise((done) => setTimeout(done, 5));
	expect(await now()).toMatchObject({
		state: 'waiting',
		problem: { kind: 'service-unreachable', cause: 'SILENT' },
	});
	clock.advance(1000);
	expect((await settled(store, 'one')).state).toBe('installed');
	expect(asked[1]).toBe('/one/big.bin bytes=300000-');
});

test('copies from a folder without a network, and checks what it copies', async () => {
	const offer = offered();
	const source = mkdtempSync(join(tmpdir(), 'dragoman-models-from-'));
	mkdirSync(join(source, 'one'));
	writeFileSync(join(source, 'one', 'big.bin'), BIG);
	store = open([offer]);
	await store.add(['one'], source);
	expect((await settled(store, 'one')).problem).toMatchObject({ kind: 'file-unreadable' });
	writeFileSync(join(source, 'one', 'small.txt'), BIG);
	await store.add(['one'], source);
	expect((await settled(store, 'one')).problem).toEqual({
		kind: 'model-altered',
		model: 'one',
		file: 'small.txt',
	});
	writeFileSync(join(source, 'one', 'small.txt'), SMALL);
	await store.add(['one'], source);
	expect((await settled(store, 'one')).state).toBe('installed');
	expect(asked).toEqual([]);
	rmSync(source, { recursive: true });
});

test('uses the mirror instead of the hosts, if its address may be used', async () => {
	const offer = {
		...offered(),
		files: [{ ...file('one', 'big.bin', BIG), urls: ['https://models.example/x.gz'] }],
	};
	store = open([offer], { mirror: `${base}/` });
	await store.add(['one']);
	expect((await settled(store, 'one')).state).toBe('installed');
	expect(asked).toEqual(['/one/big.bin']);
	await store.close();
	rmSync(join(folder, 'one'), { recursive: true });
	store = open([offer], { mirror: 'http://models.example' });
	await store.add(['one']);
	expect((await settled(store, 'one')).problem).toEqual({ kind: 'address-refused', host: 'models.example' });
});

test('ends with the program and leaves nothing running', async () => {
	store = open([offered()]);
	replies.set('/one/big.bin', [(_, response) => response.writeHead(200).write('x')]);
	await store.add(['one']);
	while (asked.length === 0) await new Promise((done) => setTimeout(done, 5));
	await store.close();
	expect(await store.add(['one'])).toEqual(err({ kind: 'cancelled' }));
	expect(statSync(join(folder, 'one')).isDirectory()).toBe(true);
});
