import { describe, expect, test } from 'vitest';
import { hashOf } from './ids.ts';
import { readTranscript, TRANSCRIPT_SHAPES } from './transcript.ts';

const SOURCE = { kind: 'source', final: false } as const;
const FINAL = { kind: 'source', final: true } as const;
const TRANSLATION = { kind: 'translation', final: true } as const;
const wire = { transcription_id: 'a', language: 'en', text: 'Hello' };

test('the four messages are those of the source and of translations, open and final', () => {
	expect(Object.fromEntries(TRANSCRIPT_SHAPES)).toEqual({
		partial_transcription: { kind: 'source', final: false },
		validated_transcription: { kind: 'source', final: true },
		partial_translated_transcription: { kind: 'translation', final: false },
		translated_transcription: { kind: 'translation', final: true },
	});
});

test('is read from its envelope or bare, and where the envelope is none', () => {
	const read = {
		type: 'transcript',
		...SOURCE,
		transcriptionId: 'a',
		partId: '0',
		language: 'en',
		text: 'Hello',
		startS: null,
		endS: null,
	};
	expect(readTranscript(SOURCE, { transcription: wire })).toEqual(read);
	expect(readTranscript(SOURCE, wire)).toEqual(read);
	expect(readTranscript(SOURCE, { ...wire, transcription: 'x' })).toEqual(read);
	for (const none of [
		null,
		'x',
		{},
		{ transcription: {} },
		{ ...wire, text: 5 },
		{ ...wire, text: null, segments: [{ text: 5 }] },
	])
		expect(readTranscript(SOURCE, none)).toBeNull();
});

describe('segments', () => {
	const read = (segments: unknown, more: object = {}) =>
		readTranscript(SOURCE, { ...wire, ...more, segments });

	test('make the text where there is none', () => {
		const pieces = [{ text: 'Hello' }, { text: 5 }, null, { text: 'there' }];
		expect(read(pieces, { text: undefined })?.text).toBe('Hello there');
		expect(read(pieces)?.text).toBe('Hello');
		expect(read(pieces, { text: '' })?.text).toBe('');
		expect(read([{ text: 'x'.repeat(70_000) }], { text: undefined })?.text).toHaveLength(65_536);
		expect(read('none', { text: undefined })).toBeNull();
	});

	test('say when it began and ended: the first that says, and the last', () => {
		const times = (...segments: readonly unknown[]) => {
			const found = read(segments);
			return [found?.startS, found?.endS];
		};
		expect(times({ start: 1, end: 2 }, { start: 3, end: 4 })).toEqual([1, 4]);
		expect(times({ start: '1', end: 2 }, { start: 3, end: Number.NaN })).toEqual([3, 2]);
		expect(times({ start: Number.POSITIVE_INFINITY }, {})).toEqual([null, null]);
		expect(times({ start: 0, end: 0 })).toEqual([0, 0]);
		expect(times({ start: -1, end: -1 })).toEqual([0, 0]);
	});
});

test.each([
	['ES-mx', 'es-mx'],
	[' zh_hans ', 'zh_hans'],
	['x'.repeat(35), 'x'.repeat(35)],
	['x'.repeat(36), 'und'],
	['a b', 'und'],
	['é', 'und'],
	['', 'und'],
	[5, 'und'],
	[undefined, 'und'],
])('the language %j is %s', (language, code) => {
	expect(readTranscript(SOURCE, { ...wire, language })?.language).toBe(code);
});

describe('the id of a sentence', () => {
	const idOf = (shape: typeof SOURCE | typeof FINAL | typeof TRANSLATION, data: object) => {
		const found = readTranscript(shape, { ...wire, ...data });
		return [found?.transcriptionId, found?.partId];
	};

	test('has the part of a translation beside it, inside or outside the envelope, or behind it', () => {
		expect(idOf(TRANSLATION, { translation_part_id: 2 })).toEqual(['a', '2']);
		expect(readTranscript(TRANSLATION, { transcription: wire, translation_part_id: '3' })?.partId).toBe('3');
		const both = { transcription: { ...wire, translation_part_id: 1 }, translation_part_id: 2 };
		expect(readTranscript(TRANSLATION, both)?.partId).toBe('1');
		expect(idOf(TRANSLATION, { transcription_id: 'a_part_12' })).toEqual(['a', '12']);
		expect(idOf(TRANSLATION, { transcription_id: 'a_part_12', translation_part_id: 3 })).toEqual([
			'a_part_12',
			'3',
		]);
		expect(idOf(TRANSLATION, {})).toEqual(['a', '0']);
	});

	test.each([
		'_part_1',
		'a_part_',
		'a_part_x',
		'a_part_1x',
		`a_part_${'1'.repeat(10)}`,
		`${'a'.repeat(121)}_part_1`,
	])('%s is whole', (id) => {
		expect(idOf(TRANSLATION, { transcription_id: id })).toEqual([id, '0']);
	});

	test('of the source has no part', () => {
		expect(idOf(SOURCE, { transcription_id: 'a_part_2', translation_part_id: 4 })).toEqual(['a_part_2', '0']);
	});

	test('that is not there is its beginning, to the ms, or the text of what is final', () => {
		const none = { transcription_id: null };
		expect(idOf(SOURCE, { ...none, segments: [{ start: 1.2344 }] })).toEqual(['~start-1234', '0']);
		expect(idOf(FINAL, { ...none, segments: [{ start: 0 }] })).toEqual(['~start-0', '0']);
		expect(idOf(FINAL, none)).toEqual([`~text-${hashOf('Hello')}`, '0']);
		expect(idOf(SOURCE, none)).toEqual(['~open', '0']);
	});
});
