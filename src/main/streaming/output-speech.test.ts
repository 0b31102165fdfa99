import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildTask } from '#shared/conversation/task-builder.ts';
import type { Task } from '#shared/protocol/task.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { s16ToBytes } from '#shared/sound/s16le.ts';
import { createDroppedPhrases, createHeardPieces, missingPiece, samplesReader } from './output-speech.ts';

const plain: Task = buildTask(defaultSettings, 'websocket');
const packed: Task = {
	...plain,
	output_stream: {
		content_type: 'audio',
		target: { type: 'ws', format: 'zlib_pcm_s16le', sample_rate: 24_000, channels: 1 },
	},
};
const pcm = Int16Array.of(0, 1, -1, 32_767, -32_768);

describe('reading the samples of a message', () => {
	test('takes them as they are, or inflated when the task asked for that', () => {
		const bytes = s16ToBytes(pcm);
		expect(samplesReader(plain)(bytes)).toEqual(pcm);
		expect(samplesReader(null)(bytes)).toEqual(pcm);
		expect(samplesReader(packed)(deflateSync(bytes))).toEqual(pcm);
	});

	test('gives nothing for an empty one, and null for one without bytes', () => {
		for (const task of [plain, packed, null]) {
			expect(samplesReader(task)(new Uint8Array(0))).toEqual(new Int16Array(0));
			expect(samplesReader(task)(null)).toBeNull();
		}
	});

	test('gives null for half a sample and for what cannot be inflated', () => {
		expect(samplesReader(plain)(Uint8Array.of(1, 2, 3))).toBeNull();
		expect(samplesReader(packed)(s16ToBytes(pcm))).toBeNull();
		expect(samplesReader(packed)(deflateSync(Uint8Array.of(1)))).toBeNull();
	});

	test('does not unpack a bomb', () => {
		expect(samplesReader(packed)(deflateSync(new Uint8Array(8 * 1024 * 1024)))).toBeNull();
	});

	test('never throws, whatever comes', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(plain, packed, null), (bytes, task) => {
				const samples = samplesReader(task)(bytes);
				expect(samples === null || samples instanceof Int16Array).toBe(true);
			}),
		);
	});
});

describe('pieces that come twice', () => {
	const place = { transcriptionId: 'a', partId: '0', language: 'es' };
	const speech = (seed: number) =>
		Int16Array.from({ length: 50 }, (_, index) => (index * seed * 7919) % 9001);

	test('are known by their sound, also when others came between them', () => {
		const pieces = createHeardPieces();
		expect([1, 2, 1, 3, 2, 3].map((seed) => pieces.isRepeated(place, speech(seed)))).toEqual([
			false,
			false,
			true,
			false,
			true,
			true,
		]);
	});

	test('are none in another sentence, part or language, after silence, or on another connection', () => {
		const pieces = createHeardPieces();
		expect(pieces.isRepeated(place, speech(1))).toBe(false);
		for (const other of [{ transcriptionId: 'b' }, { partId: '1' }, { language: 'de' }])
			expect(pieces.isRepeated({ ...place, ...other }, speech(1))).toBe(false);
		const silence = new Int16Array(4800);
		expect([pieces.isRepeated(place, silence), pieces.isRepeated(place, silence)]).toEqual([false, false]);
		pieces.clear();
		expect(pieces.isRepeated(place, speech(1))).toBe(false);
	});
});

describe('what is remembered of pieces', () => {
	const place = { transcriptionId: 'a', partId: '0', language: 'es' };
	const sound = (level: number) => Int16Array.of(0, level, 0);

	test('is the last eight of a part', () => {
		const pieces = createHeardPieces();
		for (let count = 1; count <= 8; count += 1) pieces.isRepeated(place, sound(1000 + count));
		expect(pieces.isRepeated(place, sound(1001))).toBe(true);
		pieces.isRepeated(place, sound(1009));
		expect([1002, 1001].map((level) => pieces.isRepeated(place, sound(level)))).toEqual([true, false]);
	});

	test('is of the last 256 parts, those that speak still among them', () => {
		const pieces = createHeardPieces();
		const part = (count: number) => ({ ...place, partId: String(count) });
		for (let count = 0; count < 256; count += 1) pieces.isRepeated(part(count), sound(1000));
		expect(pieces.isRepeated(part(0), sound(1000))).toBe(true);
		pieces.isRepeated(part(0), sound(2000));
		pieces.isRepeated(part(256), sound(1000));
		expect([0, 2, 256].map((count) => pieces.isRepeated(part(count), sound(1000)))).toEqual([
			true,
			true,
			true,
		]);
		expect(pieces.isRepeated(part(1), sound(1000))).toBe(false);
	});

	test.each([
		[100, false],
		[-100, false],
		[101, true],
		[-101, true],
	])('is nothing of silence: with a level of %d it counts: %j', (level, isSound) => {
		const pieces = createHeardPieces();
		pieces.isRepeated(place, sound(level));
		expect(pieces.isRepeated(place, sound(level))).toBe(isSound);
	});
});

test('a piece that is missing is 200 ms of silence', () => {
	const piece = missingPiece();
	expect([piece.length, piece.every((sample) => sample === 0)]).toEqual([4800, true]);
});

test('a message of four megabytes is unpacked, and not one of a byte more', () => {
	const most = 4 * 1024 * 1024;
	expect(samplesReader(packed)(deflateSync(new Uint8Array(most)))?.length).toBe(most / 2);
	expect(samplesReader(packed)(deflateSync(new Uint8Array(most + 2)))).toBeNull();
});

describe('phrases that were dropped', () => {
	test('in one language after the other are dropped in both; in all, they stay so', () => {
		const phrases = createDroppedPhrases();
		phrases.met('a');
		phrases.drop(['es']);
		phrases.drop(['de']);
		const has = () => ['es', 'de', 'fr'].map((language) => phrases.has('a', language));
		expect(has()).toEqual([true, true, false]);
		phrases.drop(null);
		phrases.drop(['es']);
		expect(has()).toEqual([true, true, true]);
	});

	test('are the last 256 that were met, and as many that were dropped', () => {
		const phrases = createDroppedPhrases();
		for (let count = 0; count < 257; count += 1) phrases.met(`p${count}`);
		phrases.met('p1');
		phrases.drop(['es']);
		expect(['p0', 'p1', 'p256'].map((id) => phrases.has(id, 'es'))).toEqual([false, true, true]);
		phrases.met('p257');
		phrases.drop(['es']);
		expect(['p1', 'p2', 'p257'].map((id) => phrases.has(id, 'es'))).toEqual([false, true, true]);
	});

	test('are those met before, in the languages that were named; later ones are heard', () => {
		const phrases = createDroppedPhrases();
		phrases.met('a');
		phrases.drop(['es']);
		phrases.met('b');
		expect([phrases.has('a', 'es'), phrases.has('a', 'de'), phrases.has('b', 'es')]).toEqual([
			true,
			false,
			false,
		]);
		phrases.drop(null);
		expect([phrases.has('a', 'de'), phrases.has('b', 'fr')]).toEqual([true, true]);
	});

	test('are unknown before they are met, and forgotten with the connection', () => {
		const phrases = createDroppedPhrases();
		phrases.drop(null);
		phrases.met('a');
		expect(phrases.has('a', 'es')).toBe(false);
		phrases.drop(null);
		phrases.clear();
		expect(phrases.has('a', 'es')).toBe(false);
		phrases.drop(null);
		expect(phrases.has('a', 'es')).toBe(false);
	});

	test('are remembered to a bound, the newest ones', () => {
		const phrases = createDroppedPhrases();
		for (let count = 0; count < 1000; count += 1) {
			phrases.met(`p${count}`);
			phrases.drop(null);
		}
		expect([phrases.has('p999', 'es'), phrases.has('p900', 'es'), phrases.has('p0', 'es')]).toEqual([
			true,
			true,
			false,
		]);
	});

	test('a phrase is dropped exactly when a drop of its language came after it was met', () => {
		const phrase = fc.constantFrom('a', 'b', 'c');
		const move = fc.oneof(
			phrase.map((id) => ({ met: id })),
			fc.constantFrom<(readonly string[] | null)[]>(null, ['es'], ['de']).map((drop) => ({ drop })),
		);
		fc.assert(
			fc.property(
				fc.array(move, { maxLength: 12 }),
				phrase,
				fc.constantFrom('es', 'de'),
				(moves, id, language) => {
					const phrases = createDroppedPhrases();
					let met = false;
					let expected = false;
					for (const step of moves) {
						if ('met' in step) {
							phrases.met(step.met);
							met ||= step.met === id;
						} else {
							phrases.drop(step.drop);
							if (met) expected ||= step.drop === null || step.drop.includes(language);
						}
					}
					expect(phrases.has(id, language)).toBe(expected);
				},
			),
		);
	});
});
