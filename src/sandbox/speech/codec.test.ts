import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createClips, findSpeechFolder, phrases, spokenLanguages } from '#sandbox/canned/phrases.ts';
import { opusDurationMs, readOggOpus, SILENCE } from './codec.ts';

/** One Ogg page with that lacing table and body. */
function page(lacing: readonly number[], body: readonly number[]): number[] {
	const head = [...new TextEncoder().encode('OggS'), ...new Array(22).fill(0), lacing.length];
	return [...head, ...lacing, ...body];
}

const opusHead = [...new TextEncoder().encode('OpusHead')];

describe('reading Ogg Opus', () => {
	it('gives the packets after the two headers, joined across segments and pages', () => {
		const long = new Array(300).fill(7);
		const file = Uint8Array.from([
			...page([8], opusHead),
			...page([2], [1, 2]),
			...page([3, 255], [4, 5, 6, ...long.slice(0, 255)]),
			...page([45, 1], [...long.slice(255), 9]),
		]);
		const read = readOggOpus(file);
		expect(read).toEqual({
			ok: true,
			value: [Uint8Array.from([4, 5, 6]), Uint8Array.from(long), Uint8Array.from([9])],
		});
	});

	it('refuses what is not Ogg, not Opus, or cut', () => {
		expect(readOggOpus(Uint8Array.from([1, 2, 3])).ok).toBe(false);
		expect(readOggOpus(Uint8Array.from(page([3], [1, 2, 3]))).ok).toBe(false);
		expect(readOggOpus(Uint8Array.from(page([8], opusHead.slice(0, 4)))).ok).toBe(false);
		expect(readOggOpus(new Uint8Array()).ok).toBe(false);
	});
});

describe('the committed clips', () => {
	it('exist for every phrase in every spoken language, in packets of 20 ms, 1 to 7 seconds long', () => {
		const clips = createClips();
		for (const language of spokenLanguages) {
			for (const { number } of phrases) {
				const packets = clips.packets(language, number);
				const name = `${language}/${number}`;
				expect(packets.length * 20, name).toBeGreaterThan(1000);
				expect(packets.length * 20, name).toBeLessThan(7000);
				expect(new Set(packets.map(opusDurationMs)), name).toEqual(new Set([20]));
			}
		}
	});

	it('are found for regional variants and absent for languages without phrases', () => {
		const clips = createClips();
		expect(clips.packets('es-mx', 1)).toEqual(clips.packets('es', 1));
		expect(clips.packets('pl', 1)).toEqual([]);
		expect(clips.nearest('pl', 3000)).toEqual([]);
	});

	it('are found from a bundle two folders below the root as well', () => {
		const bundle = new URL('../../../out/main/sandbox.js', import.meta.url).href;
		expect(findSpeechFolder(bundle)).toBe(findSpeechFolder());
		expect(findSpeechFolder('file:///nowhere/at/all.js')).toBe(null);
	});

	it('come with a demo conversation of 20 to 30 seconds', () => {
		const wav = readFileSync(`${findSpeechFolder()}/en-conversation.wav`);
		const seconds = (wav.length - 44) / 2 / wav.readUInt32LE(24);
		expect(seconds).toBeGreaterThan(20);
		expect(seconds).toBeLessThan(30);
	});
});

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
