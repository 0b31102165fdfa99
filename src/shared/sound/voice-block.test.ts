import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createVoiceCoder, VOICE_BLOCK, VoiceBlocks } from './voice-block.ts';

const { samples: length, bytes, rateHz } = VOICE_BLOCK;

/** A voice of several tones, −1 to 1. */
const voice = (from: number, loudness = 0.3) =>
	Float32Array.from({ length }, (_, n) => {
		const at = (2 * Math.PI * (from + n)) / rateHz;
		return loudness * (Math.sin(at * 180) + Math.sin(at * 720) / 2 + Math.sin(at * 2300) / 4);
	});

const decoded = (block: Uint8Array) => {
	const samples = new Float32Array(length);
	const number = createVoiceCoder().decode(block, samples);
	return { number, samples };
};

test('a voice is heard as it was said, 25 dB above what the code adds, also when a block before is missing', () => {
	const blocks = new VoiceBlocks();
	for (let n = 0; n < 20; n += 1) {
		const said = voice(n * length);
		const { number, samples } = decoded(blocks.push(said, length) ?? new Uint8Array(bytes));
		expect(number).toBe(n + 1);
		// The first block begins at rest.
		if (n === 0) continue;
		const power = said.reduce((sum, sample) => sum + sample ** 2, 0);
		const wrong = said.reduce((sum, sample, at) => sum + (sample - (samples[at] ?? 0)) ** 2, 0);
		expect(10 * Math.log10(power / wrong)).toBeGreaterThan(25);
	}
});

test('whatever is encoded comes back as sound of the same length, which follows it within one step', () => {
	fc.assert(
		fc.property(
			fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 2, maxLength: 64 }),
			fc.nat(0xffff_ffff),
			(values, number) => {
				// Each value for so long that the code reaches it.
				const said = Int16Array.from(
					{ length: values.length * 96 },
					(_, n) => values[Math.floor(n / 96)] ?? 0,
				);
				const block = new Uint8Array(8 + said.length / 2);
				createVoiceCoder().encode(number, said, block);
				const heard = new Float32Array(said.length);
				expect(createVoiceCoder().decode(block, heard)).toBe(number);
				values.forEach((value, n) => {
					expect(Math.abs((heard[n * 96 + 95] ?? 0) * 32_768 - value)).toBeLessThan(16);
				});
			},
		),
	);
});

test('a block that is damaged is noise at most', () => {
	fc.assert(
		fc.property(fc.uint8Array({ minLength: bytes, maxLength: bytes }), (block) => {
			expect(decoded(block).samples.every((sample) => Math.abs(sample) <= 1)).toBe(true);
		}),
	);
});

test('silence is not sent, but counted; a pause within a sentence is', () => {
	const blocks = new VoiceBlocks();
	const numbers: number[] = [];
	function push(sound: Float32Array | null, times: number): void {
		for (let n = 0; n < times; n += 1) {
			const block = blocks.push(sound, length);
			if (block) numbers.push(decoded(block).number);
		}
	}
	push(null, 10);
	push(voice(0, 0.0005), 10);
	expect(numbers).toEqual([]);
	push(voice(0), 1);
	push(null, 20);
	push(voice(0), 1);
	expect(numbers).toEqual([21, 22, 23, 24, 25, 26, 42]);
});

test('pieces of any length make the same blocks', () => {
	const whole = new VoiceBlocks();
	const pieces = new VoiceBlocks();
	const said = voice(0);
	const made = whole.push(said, length)?.slice();
	let last: Uint8Array | null = null;
	for (let at = 0; at < length; at += 128) {
		const piece = said.subarray(at, at + 128);
		last = pieces.push(piece, piece.length) ?? last;
	}
	expect(last).toEqual(made);
});
