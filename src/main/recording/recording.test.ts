import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createRecordings } from './recording.ts';

const NAME = 'a-name-that-nobody-guesses';
let folder = '';
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-recording-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function createWindow() {
	const told: unknown[] = [];
	let send: (value: unknown) => void = () => {};
	let dies: () => void = () => {};
	let closed = 0;
	const close = () => {
		closed += 1;
	};
	const ends = {
		control: {
			post: (value: unknown) => void told.push(value),
			listen() {},
			closed(heard: () => void) {
				dies = heard;
			},
			close,
		},
		capture: {
			listen(heard: (value: unknown) => void) {
				send = heard;
			},
			close,
		},
		voice: { close },
	};
	return { ends, told, send: (value: unknown) => send(value), dies: () => dies(), closed: () => closed };
}

function start(path: string | null = join(folder, 'talk.wav')) {
	const page = createWindow();
	const clock = createManualClock();
	const begun: (readonly [path: string, startedMs: number])[] = [];
	const recordings = createRecordings({
		choosePlace: async () => path,
		begun: (...one) => void begun.push(one),
		createPorts: () => page.ends,
		clock,
		log: silentLogger,
	});
	const begin = () =>
		recordings.answers['recording.begin']({ stream: NAME, suggestedName: 'x.wav', rateHz: 1000 });
	const end = () => recordings.answers['recording.end']({ stream: NAME });
	return { ...page, clock, recordings, begin, end, begun, path: path ?? '' };
}

/** Samples of both channels as the file says it has them. */
function read(path: string): readonly number[] {
	const bytes = readFileSync(path);
	expect(bytes.toString('ascii', 0, 4) + bytes.toString('ascii', 8, 12)).toBe('RIFFWAVE');
	expect(bytes.readUInt32LE(4)).toBe(bytes.readUInt32LE(40) + 36);
	const data = bytes.subarray(44, 44 + bytes.readUInt32LE(40));
	return Array.from({ length: data.length / 2 }, (_, at) => data.readInt16LE(at * 2));
}

describe('a recording', () => {
	test('waits for its last piece, but not for ever', async () => {
		const { begin, end, send, clock, path } = start();
		await begin();
		send({ at: 0, samples: Int16Array.of(1, 2) });
		const ended = end();
		send({ at: 1, samples: Int16Array.of(3, 4) });
		clock.advance(500);
		await ended;
		expect(read(path)).toEqual([1, 2, 3, 4]);
	});

	test('has what came where it belongs, and silence between', async () => {
		const { begin, end, send, path, closed } = start();
		expect(await begin()).toEqual({ ok: true, value: path });
		send({ at: 1, samples: Int16Array.of(1, -1, 2, -2) });
		send({ at: 5, samples: Int16Array.of(5, -5) });
		send({ at: 0, samples: null });
		await end();
		expect(read(path)).toEqual([0, 0, 1, -1, 2, -2, 0, 0, 0, 0, 5, -5]);
		expect(closed()).toBe(3);
		await end();
	});

	test('tells once, with its first sound, which file it is and when it was at zero', async () => {
		const { begin, end, send, begun, clock, path } = start();
		await begin();
		clock.advance(5000);
		expect(begun).toEqual([]);
		// 100 ms of sound, which end now.
		send({ at: 2900, samples: new Int16Array(200) });
		await expect.poll(() => begun).toEqual([[path, 2000]]);
		send({ at: 3000, samples: new Int16Array(200) });
		send({ at: 0, samples: null });
		await end();
		expect(begun).toHaveLength(1);
	});

	test('can be played after a crash: its length is written while it grows', async () => {
		const { begin, send, clock, path } = start();
		await begin();
		for (let second = 0; second < 3; second += 1) {
			send({ at: second * 1000, samples: new Int16Array(2000).fill(7) });
			await expect.poll(() => statSync(path, { throwIfNoEntry: false })?.size).toBe(44 + (second + 1) * 4000);
			clock.advance(1000);
			await expect.poll(() => read(path).length).toBe((second + 1) * 2000);
		}
	});

	test('is made whole when the page dies and when the program ends', async () => {
		for (const how of ['dies', 'closeAll'] as const) {
			const { begin, send, dies, closed, recordings, path } = start(join(folder, `${how}.wav`));
			await begin();
			send({ at: 0, samples: Int16Array.of(1, 2) });
			send({ at: 1, samples: Int16Array.of(3, 4) });
			if (how === 'dies') dies();
			else await recordings.closeAll();
			await expect.poll(closed).toBe(3);
			expect(read(path)).toEqual([1, 2, 3, 4]);
		}
	});

	test('is not begun while its place is being chosen, nor for a page that is gone meanwhile', async () => {
		const page = createWindow();
		const chosen: ((path: string) => void)[] = [];
		const recordings = createRecordings({
			choosePlace: () => new Promise((choose) => void chosen.push(choose)),
			createPorts: () => page.ends,
			begun() {},
			clock: createManualClock(),
			log: silentLogger,
		});
		const begin = (stream: string) =>
			recordings.answers['recording.begin']({ stream, suggestedName: 'x.wav', rateHz: 1000 });
		const first = begin('first');
		expect(await begin('second')).toMatchObject({ ok: false });
		expect(chosen).toHaveLength(1);
		await recordings.closeAll();
		chosen[0]?.(join(folder, 'talk.wav'));
		expect(await first).toEqual({ ok: false, error: { kind: 'cancelled' } });
		expect(readdirSync(folder)).toEqual([]);
		const next = begin('third');
		chosen[1]?.(join(folder, 'next.wav'));
		expect(await next).toMatchObject({ ok: true });
		await recordings.closeAll();
	});

	test('is not begun without a file, twice at once, or where nothing can be written', async () => {
		expect(await start(null).begin()).toEqual({ ok: true, value: null });
		const twice = start();
		await twice.begin();
		expect((await twice.begin()).ok).toBe(false);
		await twice.recordings.closeAll();
		// Nothing was recorded, so no file is left.
		expect(existsSync(twice.path)).toBe(false);
		const nowhere = join(folder, 'not-there', 'a.wav');
		expect(await start(nowhere).begin()).toEqual({
			ok: false,
			error: { kind: 'storage-failed', what: 'a.wav' },
		});
		expect(existsSync(nowhere)).toBe(false);
	});

	test('costs the file it was to replace nothing until something is heard', async () => {
		const { begin, end, clock, path } = start();
		writeFileSync(path, 'kept');
		await begin();
		clock.advance(2000);
		expect(readFileSync(path, 'utf8')).toBe('kept');
		const ended = end();
		clock.advance(500);
		await ended;
		expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['kept', ['talk.wav']]);
	});

	test('replaces it with the first sound', async () => {
		const { begin, send, recordings, path } = start();
		writeFileSync(path, 'a longer text than the recording has bytes of sound and header, twice over');
		await begin();
		send({ at: 0, samples: Int16Array.of(1, 2) });
		await recordings.closeAll();
		expect([read(path), readFileSync(path).length]).toEqual([[1, 2], 48]);
	});

	test('goes on however many pieces come, as long as not too many wait for the disk at once', {
		timeout: 20_000,
	}, async () => {
		const { begin, send, told, closed, path } = start();
		await begin();
		for (let second = 0; second < 3; second += 1) {
			for (let n = 0; n < 200; n += 1) send({ at: second * 200 + n, samples: Int16Array.of(second, n) });
			// Both channels, 16 bits each, behind the header.
			await expect
				.poll(() => statSync(path, { throwIfNoEntry: false })?.size, { timeout: 5000 })
				.toBe(44 + (second + 1) * 800);
		}
		expect(told).toEqual([]);
		for (let n = 0; n < 201; n += 1) send({ at: 600 + n, samples: Int16Array.of(9, 9) });
		expect(told).toMatchObject([{ type: 'failed' }]);
		await expect.poll(closed, { timeout: 5000 }).toBe(3);
		expect(read(path)).toHaveLength(1600);
	});

	test('that cannot go on says so, and keeps what it has', async () => {
		const { begin, send, told, path } = start();
		await begin();
		send({ at: 0, samples: Int16Array.of(1, 2) });
		// Beyond what a WAV can hold.
		send({ at: 2 ** 31, samples: Int16Array.of(3, 4) });
		await expect
			.poll(() => told)
			.toEqual([{ type: 'failed', problem: { kind: 'storage-failed', what: 'talk.wav' } }]);
		await expect.poll(() => read(path)).toEqual([1, 2]);
	});

	test('whose last pieces cannot be written says so to who ends it', async () => {
		const { begin, end, send, told, clock, path } = start();
		await begin();
		send({ at: 0, samples: Int16Array.of(1, 2) });
		const ended = end();
		send({ at: 2 ** 31, samples: Int16Array.of(3, 4) });
		send({ at: 0, samples: null });
		const failed = { kind: 'storage-failed', what: 'talk.wav' };
		expect(await ended).toEqual({ ok: false, error: failed });
		expect([read(path), told.length, clock.pending]).toEqual([[1, 2], 0, 0]);
	});

	test('takes no notice of what is no sound', async () => {
		const { begin, end, send, told, path } = start();
		await begin();
		for (const value of [
			{ at: -1, samples: Int16Array.of(1, 1) },
			{ at: 0.5, samples: Int16Array.of(1, 1) },
		])
			send(value);
		send({ at: 0, samples: [1, 2] });
		send({ at: 0, samples: Int16Array.of(3, 4) });
		send({ at: 0, samples: null });
		await end();
		expect([read(path), told]).toEqual([[3, 4], []]);
	});

	test('that is over leaves no timer, and room for the next one', async () => {
		const { begin, end, send, clock } = start();
		await begin();
		send({ at: 0, samples: Int16Array.of(1, 2) });
		send({ at: 0, samples: null });
		await end();
		expect(clock.pending).toBe(0);
		expect(await begin()).toMatchObject({ ok: true });
	});

	test.skipIf(process.platform === 'win32')('is for its owner alone', async () => {
		const { begin, send, recordings, path } = start();
		await begin();
		send({ at: 0, samples: Int16Array.of(1, 2) });
		await recordings.closeAll();
		expect(statSync(path).mode & 0o077).toBe(0);
	});
});
