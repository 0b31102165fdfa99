import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ok } from '#shared/lib/result.ts';
import { s16ToBytes } from './pcm.ts';
import { encodeWav, isWav, readWavHead, WAV_HEAD_BYTES, wavHead, wavOf } from './wav.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
/** Little-endian, as all numbers of the head. */
const u32 = (value: number) => {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32LE(value);
	return bytes.toString('hex');
};

test('the head of a sound is the one of RIFF for 16-bit PCM, byte by byte', () => {
	const head = wavHead({ rateHz: 48_000, channels: 2, bytes: 1000 });
	expect(head).toHaveLength(WAV_HEAD_BYTES);
	expect(hex(head)).toBe(
		[
			'52494646', // RIFF
			u32(1036),
			'57415645', // WAVE
			'666d7420', // fmt
			u32(16),
			'0100', // PCM
			'0200',
			u32(48_000),
			u32(192_000),
			'0400',
			'1000',
			'64617461', // data
			u32(1000),
		].join(''),
	);
});

test.each([
	['not known', null, 0xffff_fff7, 0xffff_ffd3],
	['none', 0, 36, 0],
	['just what fits', 0xffff_ffff - 36, 0xffff_ffff, 0xffff_ffff - 36],
	['a byte more', 0xffff_ffff - 35, 0xffff_ffff, 0xffff_ffff - 35],
])('where the length is %s, the file claims %s', (_, bytes, file, data) => {
	const view = new DataView(wavHead({ rateHz: 24_000, channels: 1, bytes }).buffer);
	expect([view.getUint32(4, true), view.getUint32(40, true)]).toEqual([file, data]);
});

test('a file is the head of its own length and the samples, louder ones clipped', () => {
	const bytes = encodeWav([0, 0.5, -0.5, 1.5, -1.5], 16_000);
	expect(hex(bytes.subarray(0, WAV_HEAD_BYTES))).toBe(
		hex(wavHead({ rateHz: 16_000, channels: 1, bytes: 10 })),
	);
	expect([...new Int16Array(bytes.buffer.slice(WAV_HEAD_BYTES))]).toEqual([
		0, 16_384, -16_383, 32_767, -32_767,
	]);
	expect(encodeWav([], 16_000)).toHaveLength(WAV_HEAD_BYTES);
});

test('a file is read as it was written, and nothing is said of a part of its head', () => {
	const rates = fc.integer({ min: 1, max: 192_000 });
	fc.assert(
		fc.property(fc.int16Array({ minLength: 1, maxLength: 100 }), rates, (samples, rateHz) => {
			const file = wavOf(samples, rateHz);
			const head = { tag: 1, channels: 1, rateHz, bits: 16, frameBytes: 2, dataAt: WAV_HEAD_BYTES };
			expect(readWavHead(file)).toEqual(ok({ ...head, bytes: samples.length * 2 }));
			expect(file.subarray(WAV_HEAD_BYTES)).toEqual(s16ToBytes(samples));
			for (let length = 0; length < WAV_HEAD_BYTES; length += 1)
				expect(readWavHead(file.subarray(0, length))).toEqual(ok(null));
		}),
		{ numRuns: 30 },
	);
});

test('whatever bytes come, they have a head, or too little of one, or a reason', () => {
	const begun = fc
		.uint8Array({ maxLength: 200 })
		.map((rest) => Buffer.concat([Buffer.from('RIFF....WAVE'), rest]));
	fc.assert(
		fc.property(fc.oneof(begun, fc.uint8Array({ maxLength: 200 })), (bytes) => {
			const read = readWavHead(bytes);
			expect(read.ok || read.error !== '').toBe(true);
			if (read.ok && read.value) expect(isWav(bytes)).toBe(true);
		}),
	);
	expect(readWavHead(Buffer.from('this is only text'))).toMatchObject({ ok: false });
});
