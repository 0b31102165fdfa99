import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase64, encodeBase64 } from '#shared/lib/base64.ts';
import { anyText } from '#test/support/texts.ts';
import { bytesToS16, floatToS16, s16ToBytes, s16ToFloat } from './s16le.ts';

describe('16-bit samples', () => {
	test('come back from floats exactly as they were', () => {
		fc.assert(
			fc.property(fc.int16Array(), (samples) => {
				const floats = new Float32Array(samples.length);
				s16ToFloat(samples, floats);
				const back = new Int16Array(samples.length);
				floatToS16(floats, back);
				expect(back).toEqual(samples);
			}),
		);
	});

	test('are clipped, never wrapped round, and NaN is silence', () => {
		const out = new Int16Array(5);
		floatToS16([1, 7, -1, -9, Number.NaN], out);
		expect([...out]).toEqual([32_767, 32_767, -32_768, -32_768, 0]);
	});

	test('are as many as there are and as there is room for; the rest of the room stays as it was', () => {
		const whole = new Int16Array(3).fill(9);
		floatToS16([0.5], whole);
		expect([...whole]).toEqual([16_384, 9, 9]);
		const floats = new Float32Array(3).fill(9);
		s16ToFloat([16_384], floats);
		expect([...floats]).toEqual([0.5, 9, 9]);
		floatToS16([0.5, 1, 1, 1], whole);
		expect([...whole]).toEqual([16_384, 32_767, 32_767]);
	});

	test('travel as little-endian bytes', () => {
		expect([...s16ToBytes(Int16Array.of(1, -2))]).toEqual([1, 0, 0xfe, 0xff]);
		fc.assert(
			fc.property(fc.int16Array(), (samples) => {
				expect(bytesToS16(s16ToBytes(samples))).toEqual(samples);
			}),
		);
	});

	test('are refused with half a sample missing', () => expect(bytesToS16(new Uint8Array(3))).toBeNull());
});

describe('base64', () => {
	test('is what everyone else writes and reads', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
				const text = Buffer.from(bytes).toString('base64');
				expect(encodeBase64(bytes)).toBe(text);
				expect(decodeBase64(text)).toEqual(new Uint8Array(bytes));
				expect(decodeBase64(text.replace(/=+$/, ''))).toEqual(new Uint8Array(bytes));
			}),
		);
	});

	test.each(['A', '====', 'AA=A', 'AA A', 'AAÄA', 'AAAA\n', '{}', '=AAA'])('%j is refused', (text) =>
		expect(decodeBase64(text)).toBeNull(),
	);

	test('of anything never throws', () => {
		fc.assert(fc.property(anyText, (text) => void decodeBase64(text)));
	});
});
