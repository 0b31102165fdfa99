import { existsSync, readdirSync, readlinkSync, truncateSync } from 'node:fs';
import { type FileHandle, open, rm, truncate, writeFile } from 'node:fs/promises';
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFastClock, createManualClock } from '#test/support/manual-clock.ts';
import { newFolder } from '#test/support/voices.ts';
import { createUploader, judgeUpload, PIECE_BYTES, postForm, type UploadFile } from './upload.ts';

let folder = '';
let server: Server;
let address = '';
/** The storage's reactions to the requests, in turn; the last repeats. */
let plan: ((req: IncomingMessage, res: ServerResponse) => void)[] = [];
let seen: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
const logged: string[] = [];
const note = (message: string, facts?: unknown) => void logged.push(`${message} ${JSON.stringify(facts)}`);
const log: Logger = { error: note, warn: note, info: note, debug: note };

beforeEach(async () => {
	folder = newFolder();
	plan = [];
	seen = [];
	logged.length = 0;
	server = createServer((req, res) => {
		const act = plan.length > 1 ? plan.shift() : plan[0];
		act?.(req, res);
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket?secret=canary`;
});
afterEach(async () => {
	server.closeAllConnections();
	await new Promise((done) => server.close(done));
	await rm(folder, { recursive: true, force: true });
	expect(logged.filter((line) => /canary|bucket/.test(line))).toEqual([]);
});

const takes =
	(status = 204, body = '') =>
	(req: IncomingMessage, res: ServerResponse) => {
		const pieces: Buffer[] = [];
		req.on('data', (piece: Buffer) => void pieces.push(piece));
		req.on('end', () => {
			seen.push({ headers: req.headers, body: Buffer.concat(pieces).toString('latin1') });
			res.writeHead(status).end(body);
		});
	};
const error = (code: string, message: string) =>
	`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;

async function sampleOf(content: string): Promise<UploadFile> {
	const path = join(folder, 'me.wav');
	await writeFile(path, content);
	const handle = await open(path);
	const { mtimeMs } = await handle.stat();
	await handle.close();
	return {
		path,
		bytes: Buffer.byteLength(content),
		modifiedMs: mtimeMs,
		name: 'mé.wav',
		filename: 'me "1".wav',
		mimeType: 'audio/wav',
	};
}

const fields = [
	['key', 'canary/α'],
	['x-amz-"odd"\r\nname', 'v'],
	['file', 'not this one'],
	['policy', 'canary=='],
] as const;

async function send(
	options: { clock?: Clock; signal?: AbortSignal; progress?: (bytes: number) => void } = {},
) {
	const uploader = createUploader({ clock: options.clock ?? createFastClock(50), random: () => 0.5, log });
	const file = await sampleOf('RIFF-the-sample');
	return uploader.send(
		{ itemId: 'i', url: address, fields },
		{
			file,
			progress: options.progress ?? (() => {}),
			signal: options.signal ?? new AbortController().signal,
		},
	);
}

describe('the request', () => {
	test('is one form: every field as it came, the file last, its length known, no credential', async () => {
		plan = [takes()];
		const progress: number[] = [];
		expect(await send({ progress: (bytes) => void progress.push(bytes) })).toEqual({ ok: true });
		const [{ headers, body } = { headers: {}, body: '' }] = seen;
		const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
		const disposition = 'Content-Disposition: form-data; name=';
		expect(body).toBe(
			[
				`--${boundary}\r\n${disposition}"key"\r\n\r\n${Buffer.from('canary/α').toString('latin1')}\r\n`,
				`--${boundary}\r\n${disposition}"x-amz-%22odd%22%0D%0Aname"\r\n\r\nv\r\n`,
				`--${boundary}\r\n${disposition}"policy"\r\n\r\ncanary==\r\n`,
				`--${boundary}\r\n${disposition}"file"; filename="me %221%22.wav"\r\nContent-Type: audio/wav\r\n\r\n`,
				`RIFF-the-sample\r\n--${boundary}--\r\n`,
			].join(''),
		);
		expect(headers['content-length']).toBe(String(body.length));
		expect(headers['transfer-encoding']).toBeUndefined();
		expect([headers.authorization, headers.cookie]).toEqual([undefined, undefined]);
		expect(progress).toEqual([0, 15]);
	});

	test('takes the way it is told for the address', async () => {
		plan = [takes()];
		const connected: unknown[] = [];
		class Way extends Agent {
			override createConnection(...asked: Parameters<Agent['createConnection']>) {
				connected.push(asked[0].port);
				return super.createConnection(...asked);
			}
		}
		const asked: string[] = [];
		const uploader = createUploader({
			clock: createFastClock(1),
			random: () => 0.5,
			log,
			agent: async (to) => {
				asked.push(to);
				return new Way();
			},
		});
		const options = {
			file: await sampleOf('RIFF'),
			progress: () => {},
			signal: new AbortController().signal,
		};
		expect(await uploader.send({ itemId: 'i', url: address, fields }, options)).toEqual({ ok: true });
		expect([asked, connected.map(Number)]).toEqual([[address], [Number(new URL(address).port)]]);
	});

	test('reads the file a piece at a time, and no further while the storage takes nothing', async () => {
		let goOn = () => {};
		plan = [
			(req, res) => {
				req.pause();
				req.on('end', () => res.writeHead(204).end());
				goOn = () => void req.on('data', () => {}).resume();
			},
		];
		// More than the system's buffers between the two can hold; a sparse file, not bytes on the disk.
		const size = 64 * 1024 * 1024;
		const path = join(folder, 'large');
		await writeFile(path, '');
		await truncate(path, size);
		const handle = await open(path);
		const reads: { readonly bytes: number; readonly at: number; readonly moved: number }[] = [];
		let moved = 0;
		const counted = {
			read(buffer: Buffer, offset: number, bytes: number, at: number) {
				reads.push({ bytes: buffer.length, at, moved });
				return handle.read(buffer, offset, bytes, at);
			},
		} as unknown as FileHandle;
		const posted = postForm({
			url: address,
			form: {
				contentType: 'multipart/form-data; boundary=x',
				head: Buffer.from('h'),
				tail: Buffer.from('t'),
			},
			file: counted,
			fileBytes: size,
			progress: (bytes) => {
				moved = bytes;
			},
			signal: new AbortController().signal,
			clock: createFastClock(1),
			agent: undefined,
		});
		let last = 0;
		const look = () => {
			const before = last;
			last = reads.length;
			return before;
		};
		await eventually(look, (before) => expect([before > 0, before]).toEqual([true, last]));
		expect(last * PIECE_BYTES).toBeLessThan(size);
		goOn();
		expect(await posted).toMatchObject({ type: 'answer', status: 204 });
		await handle.close();
		expect(Math.max(...reads.map(({ bytes }) => bytes))).toBe(PIECE_BYTES);
		// Each piece is read when the one before was handed over.
		expect(reads.filter(({ at, moved: before }) => at !== before)).toEqual([]);
		expect(reads).toHaveLength(size / PIECE_BYTES);
	}, 60_000);
});

describe('what comes back', () => {
	test('what lets anybody send there is not repeated to anybody', async () => {
		plan = [takes(403, error('SignatureDoesNotMatch', 'policy canary== and secret canary of the bucket'))];
		const result = await send();
		expect(JSON.stringify(result)).toContain('SignatureDoesNotMatch');
		expect(JSON.stringify(result)).not.toContain('canary');
	});

	test.each([
		[403, error('AccessDenied', 'Request has expired'), 'upload-expired', false],
		[403, error('AccessDenied', 'Invalid according to Policy: Policy expired.'), 'upload-expired', false],
		[400, error('ExpiredToken', 'The provided token'), 'upload-expired', false],
		[403, error('AccessDenied', 'Access Denied'), 'upload-refused', false],
		[400, error('EntityTooLarge', 'Too large'), 'upload-refused', false],
		[400, error('RequestTimeout', 'Your socket was idle'), 'upload-refused', true],
		[200, error('InternalError', 'We failed'), 'upload-refused', true],
		[503, error('SlowDown', 'Reduce your rate'), 'upload-refused', true],
		[500, 'oops', 'upload-refused', true],
		[303, '', 'upload-refused', false],
		[0, '', 'upload-refused', false],
	])('%i %s: %s, again: %j', (status, body, kind, again) => {
		expect(judgeUpload(status, body)).toMatchObject({ ok: false, error: { problem: { kind }, again } });
	});

	test.each([
		[201, '<PostResponse><Location>x</Location></PostResponse>', true],
		[299, '', true],
		[300, '', false],
		[199, '', false],
		[200, '<Errors>none</Errors>', true],
		[200, '<ERROR></ERROR>', false],
		[200, '<Error code="1">', false],
	])('%i %s is success: %j', (status, body, isFine) => {
		expect(judgeUpload(status, body).ok).toBe(isFine);
	});

	test.each([
		[408, '', true],
		[429, '', true],
		[499, '', false],
		[400, error('SlowDown', ''), true],
		[300, error('Odd', ''), false],
		// A storage that fails has not looked at how old the address is.
		[503, error('Busy', 'Session expired'), true],
		[200, error('Busy', 'Session expired'), true],
	])('%i %s may be taken a little later: %j', (status, body, again) => {
		expect(judgeUpload(status, body)).toMatchObject({
			error: { problem: { kind: 'upload-refused' }, again },
		});
	});

	test.each([
		['words', {}],
		['{}', {}],
		['<Error></Error>', {}],
		['[{"detail":"x"}]', {}],
		[
			' {"detail":"No room","error_code":7}',
			{ detail: 'No room', code: '7', errors: [{ detail: 'No room', code: '7' }] },
		],
		['{"detail":"No room"}', { detail: 'No room', errors: [{ detail: 'No room' }] }],
		[error('EntityTooLarge', 'Too large'), { detail: 'Too large', code: 'EntityTooLarge' }],
	])('a refusal of %s says what there is to say', (body, said) => {
		expect(judgeUpload(400, body)).toEqual({
			ok: false,
			error: { problem: { kind: 'upload-refused', status: 400, detail: '', ...said }, again: false },
		});
	});
});

describe('when it does not go well', () => {
	test('failures of storage and network are tried again, from the beginning of the file', async () => {
		plan = [takes(500), (req) => req.socket.destroy(), takes(503), takes()];
		const progress: number[] = [];
		expect(await send({ progress: (bytes) => void progress.push(bytes) })).toEqual({ ok: true });
		expect(progress.filter((bytes) => bytes === 0)).toHaveLength(4);
		expect(seen.at(-1)?.body).toContain('RIFF-the-sample');
	});

	test('a refusal that comes before everything was sent is read', async () => {
		plan = [
			(req, res) => {
				res.writeHead(403).end(error('AccessDenied', 'Access Denied'));
				// Reads and ignores the rest: a connection reset because of unread bytes may lose the answer.
				req.resume();
			},
		];
		expect(await send()).toMatchObject({ error: { kind: 'upload-refused', status: 403 } });
	});

	test('a storage that says nothing is waited for, but only so long', async () => {
		plan = [(req) => void req.resume()];
		expect(await send({ clock: createFastClock(2000) })).toEqual({
			ok: false,
			error: { kind: 'timed-out', what: 'upload', afterMs: 60_000 },
		});
	});

	test('cancelled it ends at once, and the connection with it', async () => {
		const control = new AbortController();
		let closed = false;
		plan = [
			(req) => {
				req.on('close', () => {
					closed = true;
				});
				req.resume();
				control.abort();
			},
		];
		// Time stands still: it is not ended for being late.
		const clock = createManualClock();
		expect(await send({ signal: control.signal, clock })).toEqual({
			ok: false,
			error: { kind: 'cancelled' },
		});
		await eventually(
			() => closed,
			(isClosed) => expect(isClosed).toBe(true),
		);
	});

	test.skipIf(process.platform !== 'linux')(
		'the file is let go of, however it ends and as often as it was tried',
		async () => {
			const openFiles = () =>
				readdirSync('/proc/self/fd').flatMap((name) => {
					const path = join('/proc/self/fd', name);
					return existsSync(path) && readlinkSync(path).startsWith(folder) ? [readlinkSync(path)] : [];
				});
			const control = new AbortController();
			const during: number[] = [];
			plan = [
				takes(500),
				(req, res) => {
					during.push(openFiles().length);
					takes()(req, res);
				},
				(req) => {
					req.resume();
					control.abort();
				},
			];
			expect(await send()).toEqual({ ok: true });
			expect(await send({ signal: control.signal })).toMatchObject({ error: { kind: 'cancelled' } });
			const uploader = createUploader({ clock: createFastClock(50), random: () => 0.5, log });
			const file = { ...(await sampleOf('RIFF')), bytes: 5 };
			const options = { file, progress: () => {}, signal: new AbortController().signal };
			await uploader.send({ itemId: 'i', url: address, fields }, options);
			expect([during, openFiles()]).toEqual([[1], []]);
		},
	);

	test('a file that is gone or was changed is not sent', async () => {
		plan = [takes()];
		const uploader = createUploader({ clock: createFastClock(50), random: () => 0.5, log });
		const file = await sampleOf('RIFF-the-sample');
		const options = { progress: () => {}, signal: new AbortController().signal };
		const to = { itemId: 'i', url: address, fields };
		const changed = await uploader.send(to, { ...options, file: { ...file, bytes: 5 } });
		expect(changed).toMatchObject({ error: { kind: 'file-unreadable', file: 'mé.wav' } });
		await rm(file.path);
		expect(await uploader.send(to, { ...options, file })).toMatchObject({
			error: { kind: 'file-unreadable' },
		});
		expect(seen).toEqual([]);
	});

	test('cancelled before, or between two tries, it is not tried', async () => {
		const control = new AbortController();
		control.abort();
		plan = [takes(500)];
		const cancelled = { ok: false, error: { kind: 'cancelled' } };
		expect(await send({ signal: control.signal })).toEqual(cancelled);
		expect(seen).toEqual([]);
		const other = new AbortController();
		const clock = createManualClock();
		const sending = send({ signal: other.signal, clock });
		// Between the answer and the next try: all that is left is its delay.
		await eventually(
			() => [logged.length, clock.pending],
			(now) => expect(now).toEqual([1, 1]),
		);
		other.abort();
		expect(await sending).toEqual(cancelled);
		expect([seen.length, clock.pending]).toEqual([1, 0]);
	});

	test('a file that becomes shorter on the way is another, and not sent again', async () => {
		plan = [(req) => void req.resume()];
		let tries = 0;
		const sent = await send({
			progress: () => {
				tries += 1;
				truncateSync(join(folder, 'me.wav'), 3);
			},
		});
		expect(sent).toEqual({
			ok: false,
			error: { kind: 'file-unreadable', file: 'mé.wav', reason: 'it has changed since it was chosen' },
		});
		// What it began with, and the piece that it still had.
		expect(tries).toBe(2);
	});

	test('reports a file that becomes unreadable at once, and does not send it again', async () => {
		plan = [(req) => void req.resume()];
		const handle = await open(folder);
		const reading = vi.spyOn(Object.getPrototypeOf(handle), 'read').mockRejectedValue(new Error('EIO'));
		await handle.close();
		// Time stands still: it does not end for being late.
		const sent = await send({ clock: createManualClock() }).finally(() => reading.mockRestore());
		expect(sent).toEqual({
			ok: false,
			error: { kind: 'file-unreadable', file: 'mé.wav', reason: 'it cannot be read' },
		});
	});

	test('one that was written to since is another', async () => {
		plan = [takes()];
		const uploader = createUploader({ clock: createFastClock(50), random: () => 0.5, log });
		const file = await sampleOf('RIFF-the-sample');
		const options = { progress: () => {}, signal: new AbortController().signal };
		const to = { itemId: 'i', url: address, fields };
		const later = (ms: number) =>
			uploader.send(to, { ...options, file: { ...file, modifiedMs: file.modifiedMs + ms } });
		expect(await later(0.5)).toEqual({ ok: true });
		for (const ms of [2, -2]) {
			expect(await later(ms)).toMatchObject({ error: { kind: 'file-unreadable' } });
		}
		expect(seen).toHaveLength(1);
	});

	test('the log has which time it was and what came of it', async () => {
		plan = [takes(500), takes(403, error('AccessDenied', 'no'))];
		await send();
		expect(logged).toEqual([
			'upload tried again {"attempt":1,"kind":"upload-refused","status":500,"delayMs":500}',
			'upload failed {"attempt":2,"kind":"upload-refused","status":403}',
		]);
	});

	test('a storage that is not there has no status', async () => {
		address = address.replace(/:\d+/, ':1');
		expect(await send()).toMatchObject({ error: { kind: 'service-unreachable', cause: 'ECONNREFUSED' } });
		expect(logged).toHaveLength(4);
		expect(logged.at(-1)).toBe('upload failed {"attempt":4,"kind":"service-unreachable","status":0}');
	});
});

describe('one request', () => {
	/** Of a file of so many bytes, on a clock that stands still; each wait it begins is noted. */
	async function begin(bytes: number, { fileBytes = bytes, signal = new AbortController().signal } = {}) {
		const path = join(folder, 'one');
		await writeFile(path, '');
		await truncate(path, bytes);
		const file = await open(path);
		const clock = createManualClock();
		const waits: number[] = [];
		const noting: Clock = {
			...clock,
			after(delayMs, run) {
				waits.push(delayMs);
				return clock.after(delayMs, run);
			},
		};
		const sent: number[] = [];
		const form = {
			contentType: 'multipart/form-data; boundary=x',
			head: Buffer.from('h'),
			tail: Buffer.from('t'),
		};
		let outcome: unknown;
		const posted = postForm({
			url: address,
			form,
			file,
			fileBytes,
			signal,
			clock: noting,
			agent: undefined,
			progress: (sentBytes) => void sent.push(sentBytes),
		}).then(async (came) => {
			outcome = came;
			await file.close();
		});
		return { clock, waits, sent, posted, outcome: () => outcome };
	}

	test('of several pieces goes whole', async () => {
		plan = [takes()];
		const rig = await begin(PIECE_BYTES + 1);
		await rig.posted;
		expect(rig.outcome()).toEqual({ type: 'answer', status: 204, body: '' });
		expect(rig.sent).toEqual([PIECE_BYTES, PIECE_BYTES + 1]);
		expect(seen[0]?.headers['content-length']).toBe(String(PIECE_BYTES + 3));
		expect(seen[0]?.headers.accept).toBe('*/*');
		expect(rig.clock.pending).toBe(0);
	});

	test('whose file has fewer bytes than it was said to have is cut', async () => {
		plan = [(req) => void req.resume()];
		const rig = await begin(3, { fileBytes: 5 });
		await rig.posted;
		expect([rig.outcome(), rig.clock.pending]).toEqual([{ type: 'shortened' }, 0]);
	});

	test('that nobody wants any more is not made', async () => {
		const control = new AbortController();
		control.abort();
		const rig = await begin(3, { signal: control.signal });
		await rig.posted;
		expect([rig.outcome(), rig.waits]).toEqual([{ type: 'cancelled' }, []]);
	});

	test('of which everything is sent is answered within a minute, or not at all', async () => {
		plan = [(req) => void req.resume()];
		const rig = await begin(3);
		await eventually(
			() => rig.waits.at(-1),
			(wait) => expect(wait).toBe(60_000),
		);
		await rig.clock.run(59_999);
		expect(rig.outcome()).toBeUndefined();
		await rig.clock.run(1);
		await rig.posted;
		expect([rig.outcome(), rig.clock.pending]).toEqual([{ type: 'late', afterMs: 60_000 }, 0]);
	});

	test('whose answer stops in the middle is waited for a minute from there', async () => {
		plan = [
			(req, res) => {
				req.resume();
				req.on('end', () => res.writeHead(200, { 'content-length': 100 }).write('part'));
			},
		];
		const rig = await begin(3);
		await eventually(
			() => rig.waits.filter((wait) => wait === 60_000).length,
			(count) => expect(count).toBe(2),
		);
		expect(rig.clock.pending).toBe(1);
		await rig.clock.run(60_000);
		await rig.posted;
		expect(rig.outcome()).toEqual({ type: 'late', afterMs: 60_000 });
	});

	test('whose answer breaks off is broken', async () => {
		plan = [
			(req, res) => {
				req.resume();
				req.on('end', () => {
					res.writeHead(200, { 'content-length': 100 }).write('part');
					setImmediate(() => req.socket.destroy());
				});
			},
		];
		const rig = await begin(3);
		await rig.posted;
		expect(rig.outcome()).toMatchObject({ type: 'broken' });
	});

	test('of which nothing more is taken ends after 30 s, and not a ms before', async () => {
		plan = [(req) => void req.pause()];
		const rig = await begin(64 * 1024 * 1024);
		let last = 0;
		const look = () => {
			const before = last;
			last = rig.sent.length;
			return before;
		};
		await eventually(look, (before) => expect([before > 0, before]).toEqual([true, last]));
		// Each piece begins the wait anew.
		expect(rig.waits.length).toBe(rig.sent.length + 1);
		expect(new Set(rig.waits)).toEqual(new Set([30_000]));
		await rig.clock.run(29_999);
		expect(rig.outcome()).toBeUndefined();
		await rig.clock.run(1);
		await rig.posted;
		expect([rig.outcome(), rig.clock.pending]).toEqual([{ type: 'late', afterMs: 30_000 }, 0]);
	});

	test('that breaks off waits a second for an answer that may be on its way', async () => {
		plan = [(req) => void req.socket.destroy()];
		const rig = await begin(3);
		await eventually(
			() => rig.waits.at(-1),
			(wait) => expect(wait).toBe(1000),
		);
		await rig.clock.run(999);
		expect([rig.outcome(), rig.clock.pending]).toEqual([undefined, 1]);
		await rig.clock.run(1);
		await rig.posted;
		expect(rig.outcome()).toMatchObject({ type: 'broken', cause: expect.stringMatching(/^E/) });
	});

	test.each([65_535, 65_536, 65_537, 1_000_000])(
		'of an answer of %i letters 65,536 are read',
		async (count) => {
			plan = [
				(req, res) => {
					req.resume();
					res.writeHead(200, { 'content-type': 'text/plain; charset=latin1' }).end('é'.repeat(count));
				},
			];
			const rig = await begin(3);
			await rig.posted;
			expect(rig.outcome()).toEqual({
				type: 'answer',
				status: 200,
				body: 'é'.repeat(Math.min(count, 65_536)),
			});
		},
	);

	test('of an answer without end the beginning is read', async () => {
		let isLeft = false;
		plan = [
			(req, res) => {
				req.resume();
				const more = () => {
					if (!isLeft && res.write('x'.repeat(10_000))) setImmediate(more);
				};
				res.on('drain', more).on('close', () => {
					isLeft = true;
				});
				more();
			},
		];
		const rig = await begin(3);
		await rig.posted;
		expect(rig.outcome()).toEqual({ type: 'answer', status: 200, body: 'x'.repeat(65_536) });
		await eventually(
			() => isLeft,
			(left) => expect(left).toBe(true),
		);
	});
});
