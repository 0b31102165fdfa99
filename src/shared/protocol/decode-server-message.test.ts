import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '#test/support/texts.ts';
import {
	decodeServerMessage,
	readBareQueueLevel,
	readBufferStats,
	readTranscript,
	TRANSCRIPT_SHAPES,
} from './decode-server-message.ts';
import type { ServerMessage } from './server-message.ts';
import { hashOf } from './values.ts';

function transcript(fields: object, name = 'partial_transcription'): ServerMessage {
	return decodeServerMessage({
		message_type: name,
		data: { transcription: { language: 'en', text: 'x', ...fields } },
	});
}

function idOf(id: unknown): string {
	const message = transcript({ transcription_id: id });
	if (message.type !== 'transcript') throw new Error('not a transcript');
	return message.transcriptionId;
}

describe('bytes', () => {
	const utf8 = new TextEncoder();

	test('read as the platform reads them, or not at all when they are not UTF-8', () => {
		const strict = new TextDecoder('utf-8', { fatal: true });
		const bytes = fc.oneof(
			fc.uint8Array({ maxLength: 12 }),
			anyText.map((text) => utf8.encode(text)),
			fc
				.constantFrom(
					[0xc0, 0x80],
					[0xed, 0xa0, 0x80],
					[0xf4, 0x90, 0x80, 0x80],
					[0xe0, 0x80, 0x80],
					[0xf0, 0x9f, 0x98],
				)
				.map((list) => Uint8Array.from(list)),
		);
		fc.assert(
			fc.property(bytes, (body) => {
				const packet = Uint8Array.from([
					...utf8.encode('{"message_type":"error","data":{"code":"X'),
					...body,
					...utf8.encode('"}}'),
				]);
				expect(decodeServerMessage(packet)).toEqual(referenceOf(packet));
			}),
			{ numRuns: 300 },
		);

		function referenceOf(packet: Uint8Array): ServerMessage {
			try {
				return decodeServerMessage(strict.decode(packet));
			} catch {
				return { type: 'unknown', name: '(not-utf8)' };
			}
		}
	});

	test('a packet above 64 KiB is dropped', () => {
		const packet = (length: number) => utf8.encode(`{"message_type":"eos","x":"${'a'.repeat(length - 29)}"}`);
		expect([packet(65_536).length, decodeServerMessage(packet(65_536)).type]).toEqual([
			65_536,
			'end-of-stream',
		]);
		expect(decodeServerMessage(packet(65_537))).toEqual({ type: 'unknown', name: '(too-large)' });
	});

	test('an empty packet is dropped', () => {
		expect(decodeServerMessage(new Uint8Array())).toEqual({ type: 'unknown', name: '(not-json)' });
	});
});

describe('limits', () => {
	const nested = (depth: number) => `{"message_type":"eos","data":${'['.repeat(depth)}${']'.repeat(depth)}}`;

	test('32 levels are read, 33 are not', () => {
		expect(decodeServerMessage(nested(31)).type).toBe('end-of-stream');
		expect(decodeServerMessage(nested(32))).toEqual({ type: 'unknown', name: '(too-deep)' });
		expect(decodeServerMessage(nested(100_000))).toEqual({ type: 'unknown', name: '(too-deep)' });
	});

	test('fifty thousand lists and 25,000 fields are read, more are not', () => {
		const lists = (count: number) =>
			`{"message_type":"eos","data":[${Array(count - 2)
				.fill('[]')
				.join()}]}`;
		expect(decodeServerMessage(lists(50_000)).type).toBe('end-of-stream');
		expect(decodeServerMessage(lists(50_001))).toEqual({ type: 'unknown', name: '(too-many)' });
		const fields = (count: number) =>
			`{"message_type":"eos",${Array(count - 1)
				.fill('"a":":"')
				.join()}}`;
		expect(decodeServerMessage(fields(25_000)).type).toBe('end-of-stream');
		expect(decodeServerMessage(fields(25_001))).toEqual({ type: 'unknown', name: '(too-many)' });
	});

	test('what is longer than 1 MiB is not read', () => {
		const long = JSON.stringify({ message_type: 'eos', data: 'a'.repeat(1_048_576) });
		expect(decodeServerMessage(long)).toEqual({ type: 'unknown', name: '(too-large)' });
	});

	test('a caption text of a million characters is cut, between characters', () => {
		const message = transcript({ transcription_id: 'a', text: `x${'😀'.repeat(250_000)}` });
		expect(message.type === 'transcript' && message.text).toBe(`x${'😀'.repeat(32_767)}`);
	});

	test('half a character becomes a replacement, not a broken string', () => {
		expect(transcript({ transcription_id: 'a', text: 'a\ud83d b' })).toMatchObject({ text: 'a\ufffd b' });
	});
});

describe('ids', () => {
	test('an ordinary id stays as it is, a number becomes text', () => {
		expect([idOf('1a0e9048dfeed5a3'), idOf(17)]).toEqual(['1a0e9048dfeed5a3', '17']);
	});

	test.each(['__proto__', 'constructor', 'toString', 'a|b', '~open', 'x'.repeat(129), 'a\nb', '\ud800'])(
		'%j gives a stable id of ours',
		(id) => {
			expect(idOf(id)).toMatch(/^~[0-9a-f]{16}$/);
			expect(idOf(id)).toBe(idOf(id));
		},
	);

	test('two strange ids stay two', () => {
		fc.assert(
			fc.property(
				fc.string({ minLength: 129 }),
				fc.string({ minLength: 129 }),
				(a, b) => a === b || idOf(a) !== idOf(b),
			),
		);
	});

	test.each([undefined, null, '', '  ', {}, []])(
		'without one (%j) the start of the segment stands in',
		(id) => {
			const at = (start: number, text: string) =>
				transcript({ transcription_id: id, text, segments: [{ start, end: start + 1 }] });
			expect(at(1.5, 'Hel')).toMatchObject({ transcriptionId: '~start-1500' });
			expect(at(1.5, 'Hello')).toMatchObject({ transcriptionId: '~start-1500' });
			expect(at(4, 'Bye')).toMatchObject({ transcriptionId: '~start-4000' });
		},
	);

	test('without id and times two different finals stay two, and one said twice stays one', () => {
		const final = (text: string) => transcript({ text }, 'validated_transcription');
		expect(final('One.')).toEqual(final('One.'));
		expect(final('One.')).not.toMatchObject({
			transcriptionId: (final('Two.') as { transcriptionId: string }).transcriptionId,
		});
	});

	test('a part is the same as number and as text', () => {
		const part = (id: unknown) =>
			transcript({ transcription_id: 'a', translation_part_id: id }, 'translated_transcription');
		expect(part(3)).toEqual(part('3'));
		expect(part(undefined)).toMatchObject({ partId: '0' });
		expect(part(null)).toMatchObject({ partId: '0' });
	});
});

test('what an object inherits is not in the message', () => {
	expect(decodeServerMessage(Object.create({ message_type: 'eos' }))).toEqual({
		type: 'queue-level',
		levels: new Map(),
	});
});

describe('errors', () => {
	const errorWith = (data: unknown) => decodeServerMessage({ message_type: 'error', data });

	test('name the field when the validator lists it on a line of its own', () => {
		const desc =
			"1 validation error for Task\npipeline.transcription.source_language\n  Input should be 'af' or 'am' [type=literal_error, input_value='xx']";
		expect(errorWith({ code: 'VALIDATION_ERROR', desc })).toMatchObject({
			field: 'pipeline.transcription.source_language',
			text: expect.stringMatching(/^Input should be/),
		});
	});

	test('leave out what wraps the task in the path', () => {
		const desc = [{ loc: ['body', 'data', 'pipeline', 'translations', 1], msg: 'no' }];
		expect(errorWith({ desc })).toMatchObject({ field: 'pipeline.translations.1', text: 'no' });
	});

	test('take the field from param when the text names none', () => {
		expect(errorWith({ code: 'X', desc: 'bad', param: 'languages' })).toMatchObject({ field: 'languages' });
	});

	test('never show a key, a token or markup', () => {
		const message = errorWith({
			code: 'X',
			desc: '<b>Bearer abcdefgh</b> plbr_secret eyJhbGciOi.J9.x token in ?token=abc\n\nend',
		});
		expect(message).toMatchObject({ text: 'Bearer [redacted] [key] [jwt] token in ?token=[redacted] end' });
	});

	test.each([undefined, null, 'plain words', 5, []])('are errors even when the data is %j', (data) => {
		expect(errorWith(data)).toMatchObject({ type: 'error', code: 'UNKNOWN_ERROR' });
	});
});

describe('the task as the service has it', () => {
	const current = (data: unknown) => decodeServerMessage({ message_type: 'current_task', data });
	const translations = [
		{ target_language: 'ES' },
		{ target_language: '' },
		{},
		null,
		{ target_language: ' fr ' },
	];

	test('names its targets, in its pipeline or in the one of a task', () => {
		const read = { type: 'current-task', status: 'running', targets: ['es', 'fr'] };
		expect(current({ task_status: 'RUNNING', pipeline: { translations } })).toEqual(read);
		expect(current({ task_status: 'running', task: { pipeline: { translations } } })).toEqual(read);
		expect(current({ pipeline: { translations: Array(65).fill({ target_language: 'es' }) } })).toMatchObject({
			targets: Array(64).fill('es'),
		});
	});

	test.each([
		['running', 'running'],
		['Paused', 'paused'],
		['stopped', 'unknown'],
		[5, 'unknown'],
		[undefined, 'unknown'],
	])('that is %j is %s', (task_status, status) => {
		expect(current({ task_status })).toEqual({ type: 'current-task', status, targets: [] });
	});

	test('is unknown where its data is no object, as is what became of a command', () => {
		for (const name of ['current_task', 'task_status'])
			for (const data of ['x', 5, [1]])
				expect(decodeServerMessage({ message_type: name, data })).toEqual({ type: 'unknown', name });
		expect(
			decodeServerMessage({ message_type: 'task_status', data: { command: 5, event: 'X'.repeat(70) } }),
		).toEqual({
			type: 'task-status',
			command: '',
			event: 'x'.repeat(64),
			status: 'unknown',
			transcriptionId: null,
		});
	});
});

describe('times of the pipeline', () => {
	const timings = (data: unknown) => decodeServerMessage({ message_type: 'pipeline_timings', data });

	test('are numbers, each by its stage, at most 64', () => {
		expect(
			timings({ transcription_id: 'a', timings: { asr: 0.5, tts: '1', mt: Number.NaN, all: 0 } }),
		).toEqual({
			type: 'timings',
			transcriptionId: 'a',
			timingsS: new Map([
				['asr', 0.5],
				['all', 0],
			]),
		});
		const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`s${index}`, index]));
		const read = timings({ transcription_id: 'a', timings: many });
		expect(read.type === 'timings' && read.timingsS.size).toBe(64);
	});

	test('are unknown without a sentence or a list of them', () => {
		for (const data of [{ timings: {} }, { transcription_id: 'a' }, { transcription_id: 'a', timings: [] }])
			expect(timings(data)).toEqual({ type: 'unknown', name: 'pipeline_timings' });
	});
});

test.each([
	[{ message_type: '' }, '(no-type)'],
	[{ message_type: 5 }, '(no-type)'],
	[{ message_type: null }, '(no-type)'],
	[{ message_type: '<b>' }, '(no-type)'],
	[{ message_type: 'x'.repeat(65) }, 'x'.repeat(64)],
	[{ message_type: 'tts_text' }, 'tts_text'],
	[{ message_type: 'tts_buffer_stats', data: {} }, 'tts_buffer_stats'],
	[{ x: 1 }, '(no-type)'],
	[[], '(not-an-object)'],
	[5, '(not-an-object)'],
	[undefined, '(not-an-object)'],
])('%j is counted as %s', (message, name) => {
	expect(decodeServerMessage(message)).toEqual({ type: 'unknown', name });
});

test('a message without data may carry its fields itself', () => {
	expect(decodeServerMessage({ message_type: 'error', code: 'NOT_FOUND', desc: 'gone' })).toMatchObject({
		code: 'NOT_FOUND',
		text: 'gone',
	});
});

const level = (current: unknown, max?: unknown) => ({
	current_queue_level_ms: current,
	max_queue_level_ms: max,
});
const many = (count: number) =>
	Object.fromEntries(
		Array.from({ length: count }, (_, index) => [
			`${String.fromCharCode(97 + (index % 26))}${String.fromCharCode(97 + Math.floor(index / 26))}`,
			level(index),
		]),
	);

test.each([
	['nobody waits', {}, []],
	[
		'with and without a limit',
		{ es: level(5, 20_000), FR: level(0) },
		[
			['es', { currentMs: 5, maxMs: 20_000 }],
			['fr', { currentMs: 0, maxMs: null }],
		],
	],
	[
		'no number, or one below nothing',
		{ es: level('5'), fr: level(-1), de: level(Number.NaN), it: level(1, -1) },
		[['it', { currentMs: 1, maxMs: null }]],
	],
	[
		'codes of three parts',
		{ 'zh-hant-tw': level(1), zh_hans: level(2), fil: level(3) },
		[
			['zh-hant-tw', { currentMs: 1, maxMs: null }],
			['zh_hans', { currentMs: 2, maxMs: null }],
			['fil', { currentMs: 3, maxMs: null }],
		],
	],
])('levels of the data channel: %s', (_, message, levels) => {
	expect(readBareQueueLevel(message)).toEqual(new Map(levels as [string, never][]));
});

test.each([
	['a name that is no code', { message: level(1) }],
	['a code with too many parts', { 'zh-hant-tw-x1': level(1) }],
	['a code with a space before it', { ' es': level(1) }],
	['one letter', { e: level(1) }],
	['a value that is no object', { es: 5 }],
	['a list', { es: [level(1)] }],
	['one wrong among right ones', { es: level(1), fr: null }],
	['a name that is no code among right ones', { es: level(1), 'something else': level(1) }],
])('with %s it is something else', (_, message) => {
	expect(readBareQueueLevel(message)).toBeNull();
});

test('128 languages are levels, one more is not; of statistics the first 128 are read', () => {
	expect(readBareQueueLevel(many(128))?.size).toBe(128);
	expect(readBareQueueLevel(many(129))).toBeNull();
	expect(readBufferStats({ stats: many(128) })?.size).toBe(128);
	expect(readBufferStats({ stats: many(129) })?.size).toBe(128);
});

test('statistics leave out what is no language, and are none without a list of them', () => {
	expect(readBufferStats({ timestamp: 1, stats: { ES: level(7), timestamp: level(1), fr: 'x' } })).toEqual(
		new Map([['es', { currentMs: 7, maxMs: null }]]),
	);
	for (const none of [{}, { stats: null }, { stats: [] }, null, 'x'])
		expect(readBufferStats(none)).toBeNull();
});

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
	['a|b', 'und'],
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
