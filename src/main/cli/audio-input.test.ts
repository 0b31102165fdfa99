import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wavHead } from '#shared/sound/wav.ts';
import { notRun } from '#test/support/not-run.ts';
import { type InputWanted, openAudio, readWavStream } from './audio-input.ts';

/** 100 ms: 2400 samples. */
const SOUND = new Uint8Array(4800);
const HEAD = wavHead({ rateHz: 24_000, channels: 1, bytes: null });
const FAULT = 'it could not be read to its end: EIO';

/** Gives these, and then fails as a disk does. */
async function* failing(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* pieces;
	throw Object.assign(new Error('read failed'), { code: 'EIO' });
}

/** How many samples it has, and why it ended too early. */
async function read(wanted: InputWanted, input?: () => AsyncIterable<Uint8Array>) {
	const opened = await openAudio(wanted, input ? { input } : {});
	if (!opened.ok) return opened.error;
	let count = 0;
	for await (const piece of opened.value.samples) count += piece.length;
	return { count, fault: opened.value.fault() };
}

test('standard input that fails in the middle ends there, and it is known why', async () => {
	const raw = await read({ file: '-', raw: true }, () => failing(SOUND));
	expect(raw).toEqual({ count: 2400, fault: FAULT });
	const wav = await read({ file: '-', raw: false }, () => failing(HEAD, SOUND));
	expect(wav).toEqual({ count: 2400, fault: FAULT });
});

test('standard input that fails before there is any sound is refused with the reason', async () => {
	const refused = await read({ file: '-', raw: false }, () => failing());
	expect(refused).toEqual({ kind: 'file-unreadable', file: 'standard input', reason: FAULT });
});

const filmless = spawnSync('ffmpeg', ['-version']).status === 0 ? '' : 'needs ffmpeg';
test.skipIf(filmless !== '' && notRun('films', filmless))(
	'sound that begins late in a film keeps its time, channels in opposite phase their voice, and no sound is said',
	{ timeout: 30_000 },
	async ({ onTestFinished }) => {
		const folder = mkdtempSync(join(tmpdir(), 'dragoman-film-'));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		const make = (name: string, ...args: readonly string[]) => {
			const made = spawnSync('ffmpeg', ['-v', 'error', '-y', ...args, join(folder, name)]);
			expect(String(made.stderr)).toBe('');
			return join(folder, name);
		};
		const picture = ['-f', 'lavfi', '-i', 'color=c=black:s=64x64:d=3:r=10'];
		const tone = ['-f', 'lavfi', '-i', 'sine=400:d=1'];
		const opposite = ['-af', 'pan=stereo|c0=c0|c1=-1*c0'];
		const late = ['-itsoffset', '1.5', ...tone, '-map', '0:v', '-map', '1:a', ...opposite];
		for (const film of [
			make('late.mp4', ...picture, ...late, '-c:v', 'mpeg4', '-c:a', 'aac'),
			make('late.mkv', ...picture, ...late, '-c:v', 'mpeg4', '-c:a', 'pcm_s16le'),
		]) {
			const opened = await openAudio({ file: film, raw: false }, {});
			if (!opened.ok) throw new Error(film);
			const samples: number[] = [];
			for await (const piece of opened.value.samples) samples.push(...piece);
			expect(opened.value.fault()).toBeNull();
			const begin = samples.findIndex((sample) => Math.abs(sample) > 500) / 24_000;
			expect(begin).toBeGreaterThan(1.4);
			expect(begin).toBeLessThan(1.6);
			expect(Math.max(...samples.map(Math.abs))).toBeGreaterThan(3000);
		}
		const silent = make('silent.mp4', ...picture, '-c:v', 'mpeg4');
		expect(await read({ file: silent, raw: false })).toMatchObject({ reason: 'it has no sound in it' });
	},
);

/** A file that is there, may be read, and fails at the first byte. */
const unreadable = '/proc/self/mem';
const unseen = process.platform === 'linux' ? '' : 'needs /proc';
test.skipIf(unseen !== '' && notRun('a file of raw sound that fails', unseen))(
	'a file of raw sound that fails ends there, and it is known why',
	async () => {
		expect(await read({ file: unreadable, raw: true })).toEqual({ count: 0, fault: FAULT });
	},
);

const pipeless = process.platform === 'win32' ? 'Windows has none' : '';
test.skipIf(pipeless !== '' && notRun('raw sound from a named pipe', pipeless))(
	'raw sound comes from a named pipe, too; other sound does not, and nobody waits for a writer then',
	async ({ onTestFinished }) => {
		const folder = mkdtempSync(join(tmpdir(), 'dragoman-input-'));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		const file = join(folder, 'pipe');
		spawnSync('sh', ['-c', 'mkfifo "$0"', file]);
		expect(await read({ file, raw: false })).toMatchObject({ reason: 'it is not a file' });
		const [sound] = await Promise.all([read({ file, raw: true }), writeFile(file, SOUND)]);
		expect(sound).toEqual({ count: 2400, fault: null });
	},
);

interface Kind {
	readonly tag: number;
	readonly bits: number;
	readonly write: (view: DataView, at: number, sample: number) => void;
	readonly exactTo: number;
}

const KINDS: readonly Kind[] = [
	{ tag: 1, bits: 8, write: (view, at, s) => view.setUint8(at, Math.round(s * 127) + 128), exactTo: 0.01 },
	{
		tag: 1,
		bits: 16,
		write: (view, at, s) => view.setInt16(at, Math.round(s * 32_767), true),
		exactTo: 1e-4,
	},
	{
		tag: 1,
		bits: 24,
		write(view, at, s) {
			const value = Math.round(s * 8_388_607);
			view.setUint16(at, value & 0xffff, true);
			view.setInt8(at + 2, value >> 16);
		},
		exactTo: 1e-6,
	},
	{
		tag: 1,
		bits: 32,
		write: (view, at, s) => view.setInt32(at, Math.round(s * 2_147_483_647), true),
		exactTo: 1e-6,
	},
	{ tag: 3, bits: 32, write: (view, at, s) => view.setFloat32(at, s, true), exactTo: 1e-6 },
	{ tag: 3, bits: 64, write: (view, at, s) => view.setFloat64(at, s, true), exactTo: 1e-6 },
];

/** The same samples in each channel. */
function wav(
	{ tag, bits, write }: Kind,
	samples: readonly number[],
	channels: number,
	size?: number,
): Uint8Array {
	const bytes = bits / 8;
	const head = Buffer.from(wavHead({ rateHz: 44_100, channels: 1, bytes: samples.length * 2 }));
	head.writeUInt16LE(tag, 20);
	head.writeUInt16LE(channels, 22);
	head.writeUInt16LE(bits, 34);
	const data = new Uint8Array(samples.length * channels * bytes);
	head.writeUInt32LE(size ?? data.length, 40);
	const view = new DataView(data.buffer);
	for (const [index, sample] of samples.entries())
		for (let channel = 0; channel < channels; channel += 1)
			write(view, (index * channels + channel) * bytes, sample);
	return Buffer.concat([head, data]);
}

async function* inPieces(file: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
}

async function readWhole(file: Uint8Array, size = 1000) {
	const result = await readWavStream(inPieces(file, size));
	if (!result.ok) return result.error;
	const samples: number[] = [];
	for await (const piece of result.value.samples) samples.push(...piece);
	return { format: result.value.format, samples };
}

const SOME = [0, 0.5, -0.5, 0.25, -1, 0.99];

describe('reading a WAV', () => {
	test.each(KINDS)('of $bits bits (format $tag), mono to 6 channels, in pieces of any size', async (kind) => {
		const sizes = fc.integer({ min: 1, max: 200 });
		await fc.assert(
			fc.asyncProperty(sizes, fc.integer({ min: 1, max: 6 }), async (size, channels) => {
				const sound = await readWhole(wav(kind, SOME, channels), size);
				if (typeof sound === 'string') throw new Error(sound);
				expect(sound.samples).toHaveLength(SOME.length);
				for (const [index, sample] of SOME.entries())
					expect(Math.abs((sound.samples[index] ?? 9) - sample)).toBeLessThan(kind.exactTo);
			}),
			{ numRuns: 20 },
		);
	});

	test.each([
		['at the upper end of its room, as the format demands', 8],
		['at the lower end, as ALSA writes it', 0],
	])('of 24 bits in 32, %s, with a plain header', async (_, shift) => {
		const samples = Array.from({ length: 2000 }, (_none, at) => (at < 600 ? 0 : 0.4 * Math.sin(at / 9)));
		const whole = Buffer.from(
			wav(
				{
					tag: 1,
					bits: 32,
					exactTo: 0,
					write(view, at, s) {
						view.setInt32(at, Math.round(s * 8_388_607) << shift, true);
					},
				},
				samples,
				2,
			),
		);
		whole.writeUInt16LE(24, 34);
		whole.writeUInt16LE(8, 32);
		const sound = await readWhole(whole, 777);
		if (typeof sound === 'string') throw new Error(sound);
		expect(sound.format).toMatchObject({ bytes: 4, durationMs: expect.closeTo(2000 / 44.1, 1) });
		for (const [index, sample] of samples.entries()) expect(sound.samples[index]).toBeCloseTo(sample, 5);
	});

	test('with channels in opposite phase is not silence', async () => {
		const kind = {
			tag: 1,
			bits: 16,
			exactTo: 0,
			write(view: DataView, at: number, s: number) {
				view.setInt16(at, Math.round(s * 32_767) * (((at / 2) % 2) * -2 + 1), true);
			},
		};
		const samples = Array.from({ length: 3000 }, (_, at) => 0.5 * Math.sin(at / 9));
		const sound = await readWhole(wav(kind, samples, 2));
		if (typeof sound === 'string') throw new Error(sound);
		for (const [index, sample] of samples.entries()) expect(sound.samples[index]).toBeCloseTo(sample, 3);
	});

	test('a size the writer did not know means: to the end', async () => {
		const [, kind] = KINDS;
		if (!kind) return;
		// The last two are of arecord.
		for (const size of [0, 0xffff_ffff, 0xffff_ffff - 44, 0x8000_0000, 0x7fff_ff00]) {
			expect(await readWhole(wav(kind, SOME, 1, size))).toMatchObject({
				samples: { length: 6 },
				format: { durationMs: null },
			});
		}
	});

	test.each([
		['nothing', new Uint8Array(0), 'it is empty'],
		['text', Buffer.from('this is only text, and long enough'), 'it is not a WAV file'],
		[
			'a head alone',
			wavHead({ rateHz: 24_000, channels: 1, bytes: 0 }).subarray(0, 30),
			'it has no sound in it',
		],
	])('%s is refused with a reason', async (_, file, reason) => expect(await readWhole(file)).toBe(reason));

	test('whatever comes, it ends and never throws', async () => {
		const head = fc.constant(Buffer.from('RIFF\u0000\u0000\u0000\u0000WAVE', 'latin1'));
		const chunk = fc.tuple(fc.constantFrom('fmt ', 'data', 'LIST'), fc.uint8Array({ maxLength: 40 }));
		await fc.assert(
			fc.asyncProperty(head, fc.array(chunk, { maxLength: 5 }), async (start, chunks) => {
				await readWhole(
					Buffer.concat([start, ...chunks.flatMap(([name, bytes]) => [Buffer.from(name), bytes])]),
					7,
				);
			}),
		);
	});
});
