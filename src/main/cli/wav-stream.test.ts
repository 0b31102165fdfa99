import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wavHead } from '#shared/sound/wav.ts';
import { readWavStream } from './wav-stream.ts';

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

async function read(file: Uint8Array, size = 1000) {
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
				const sound = await read(wav(kind, SOME, channels), size);
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
		const sound = await read(whole, 777);
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
		const sound = await read(wav(kind, samples, 2));
		if (typeof sound === 'string') throw new Error(sound);
		for (const [index, sample] of samples.entries()) expect(sound.samples[index]).toBeCloseTo(sample, 3);
	});

	test('a size the writer did not know means: to the end', async () => {
		const [, kind] = KINDS;
		if (!kind) return;
		// The last two are of arecord.
		for (const size of [0, 0xffff_ffff, 0xffff_ffff - 44, 0x8000_0000, 0x7fff_ff00]) {
			expect(await read(wav(kind, SOME, 1, size))).toMatchObject({
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
	])('%s is refused with a reason', async (_, file, reason) => expect(await read(file)).toBe(reason));

	test('whatever comes, it ends and never throws', async () => {
		const head = fc.constant(Buffer.from('RIFF\u0000\u0000\u0000\u0000WAVE', 'latin1'));
		const chunk = fc.tuple(fc.constantFrom('fmt ', 'data', 'LIST'), fc.uint8Array({ maxLength: 40 }));
		await fc.assert(
			fc.asyncProperty(head, fc.array(chunk, { maxLength: 5 }), async (start, chunks) => {
				await read(
					Buffer.concat([start, ...chunks.flatMap(([name, bytes]) => [Buffer.from(name), bytes])]),
					7,
				);
			}),
		);
	});
});
