import { describe, expect, it } from 'vitest';
import { opusDurationMs, SILENCE } from './opus.ts';

/** First bytes of packets: configuration, stereo bit, frame count code (RFC 6716 3.1). */
const toc = (config: number, code = 0) => (config << 3) | code;

describe('the duration of an Opus packet', () => {
	it.each([
		['SILK 10 ms', [toc(0)], 10],
		['SILK 60 ms', [toc(11)], 60],
		['hybrid 10 ms', [toc(12)], 10],
		['hybrid 20 ms', [toc(15)], 20],
		['CELT 2.5 ms', [toc(16)], 2.5],
		['CELT 20 ms', [toc(31)], 20],
		['two frames of 20 ms', [toc(31, 1)], 40],
		['two frames of different size', [toc(31, 2)], 40],
		['three frames of 20 ms, counted', [toc(31, 3), 0x83], 60],
		['nothing', [], 0],
	])('%s', (_name, bytes, expected) => {
		expect(opusDurationMs(Uint8Array.from(bytes))).toBe(expected);
	});

	it('of our silence is one packet time', () => {
		expect(opusDurationMs(SILENCE)).toBe(20);
	});
});
