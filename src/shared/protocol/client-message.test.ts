import { expect, test } from 'vitest';
import { decodeClientMessage } from './decode-client-message.ts';

type Path = readonly (string | number)[];
const task = {
	input_stream: {
		content_type: 'audio',
		source: { type: 'ws', format: 'pcm_s16le', sample_rate: 24_000, channels: 1 },
	},
	output_stream: { content_type: 'audio', target: { type: 'ws', format: 'pcm_s16le' } },
	pipeline: {
		transcription: {
			source_language: 'en',
			detectable_languages: ['en'],
			segment_confirmation_silence_threshold: 0.7,
			sentence_splitter: { enabled: true },
		},
		translations: [
			{
				target_language: 'es',
				translate_partial_transcriptions: true,
				allowed_source_languages: ['en'],
				speech_generation: {
					voice_id: 'v',
					voice_cloning: false,
					voice_timbre_detection: { enabled: false },
				},
			},
		],
		translation_queue_configs: {
			global: {
				desired_queue_level_ms: 5000,
				max_queue_level_ms: 20_000,
				auto_tempo: true,
				min_tempo: 1,
				max_tempo: 1.2,
			},
		},
		allowed_message_types: ['translated_transcription'],
	},
};

/** A copy with another value at a path; `undefined` removes the field. */
function changed(within: unknown, [name, ...rest]: Path, value: unknown): unknown {
	if (name === undefined) return value;
	const copy: Record<string, unknown> | unknown[] = Array.isArray(within)
		? [...within]
		: { ...(within as object) };
	Reflect.set(copy, name, changed(Reflect.get(within as object, name), rest, value));
	return copy;
}
const send = (name: string, data: unknown) =>
	decodeClientMessage(JSON.stringify({ message_type: name, data }));

/** The path of every value in it, those of lists and objects too. */
function pathsIn(value: unknown, path: Path = []): readonly Path[] {
	if (typeof value !== 'object' || value === null) return [path];
	const inner = Object.entries(value).flatMap(([name, part]) => pathsIn(part, [...path, name]));
	return path.length === 0 ? inner : [path, ...inner];
}

const MUST: ReadonlySet<string> = new Set([
	'input_stream',
	'input_stream.content_type',
	'input_stream.source',
	'input_stream.source.type',
	'input_stream.source.format',
	'input_stream.source.sample_rate',
	'input_stream.source.channels',
	'output_stream',
	'output_stream.content_type',
	'output_stream.target',
	'output_stream.target.type',
	'pipeline',
	'pipeline.transcription',
	'pipeline.transcription.source_language',
	'pipeline.transcription.sentence_splitter.enabled',
	'pipeline.translations',
	'pipeline.translations.0.target_language',
	'pipeline.translations.0.speech_generation.voice_timbre_detection.enabled',
]);

// One test: what a schema is made of is made once.
test('a task is taken whole, each row is of its kind, what must be there must, what may be missing may', () => {
	expect(send('set_task', task)).toEqual({ ok: true, value: { message_type: 'set_task', data: task } });
	const paths = pathsIn(task);
	expect(paths).toHaveLength(40);
	for (const path of paths) {
		const field = path.join('.');
		// Of no kind a row has.
		const wrong = send('set_task', changed(task, path, path.at(-1) === 'translations' ? 7 : [[7]]));
		expect([field, wrong.ok]).toEqual([field, false]);
		if (!wrong.ok) expect(`${wrong.error.field}.`).toMatch(new RegExp(`^${field}\\b`));
		if (Number.isInteger(Number(path.at(-1)))) continue;
		const missing = send('set_task', changed(task, path, undefined));
		expect([field, missing.ok]).toEqual([field, !MUST.has(field)]);
		if (!missing.ok) expect(missing.error.field).toBe(field);
	}

	for (const [path, value] of [
		[['input_stream', 'content_type'], 'video'],
		[['input_stream', 'source', 'type'], 'rtmp'],
		[['input_stream', 'source', 'format'], 'mp3'],
		[['output_stream', 'content_type'], 'video'],
		[['output_stream', 'target', 'type'], 'rtmp'],
	] as const)
		expect(send('set_task', changed(task, path, value))).toMatchObject({
			ok: false,
			error: { code: 'VALIDATION_ERROR', field: path.join('.') },
		});
	for (const [path, value] of [
		[['output_stream'], null],
		[['input_stream', 'source', 'format'], 'opus'],
		[['input_stream', 'source', 'format'], 'wav'],
		[['output_stream', 'target', 'format'], 'whatever'],
		...[[], ['input_stream'], ['input_stream', 'source'], ['output_stream'], ['pipeline']].map(
			(holder) => [[...holder, 'of_another_time'], { a: 1 }] as const,
		),
	] as const) {
		const data = changed(task, path, value);
		expect(send('set_task', data)).toEqual({ ok: true, value: { message_type: 'set_task', data } });
	}
});

test('nulls of rows that may be missing are left out, whole rows and parts of them', () => {
	const optional = pathsIn(task).filter(
		(path) => !MUST.has(path.join('.')) && !Number.isInteger(Number(path.at(-1))),
	);
	expect(optional).toHaveLength(18);
	for (const path of optional) {
		const cleaned = send('set_task', changed(task, path, null));
		const wanted = JSON.parse(JSON.stringify(changed(task, path, undefined)));
		expect([path, cleaned.ok && cleaned.value.data]).toEqual([path, wanted]);
	}
	// A list that is null is an empty one.
	const none = send('set_task', changed(task, ['pipeline', 'translations'], null));
	expect(none.ok && none.value.data).toEqual(changed(task, ['pipeline', 'translations'], []));
});

test('numbers of a stream and of a queue may be written as text, no other words may', () => {
	const source = ['input_stream', 'source'];
	const queue = ['pipeline', 'translation_queue_configs', 'global'];
	for (const [path, text, number] of [
		[[...source, 'sample_rate'], '48000', 48_000],
		[[...source, 'channels'], '2', 2],
		[[...queue, 'desired_queue_level_ms'], '2500.5', 2500.5],
		[[...queue, 'max_queue_level_ms'], '123456789', 123_456_789],
	] as const) {
		const read = send('set_task', changed(task, path, text));
		expect(read.ok && read.value.data).toEqual(changed(task, path, number));
		for (const word of [`${text}x`, `x${text}`, '', '1e5', '-5', '1234567890', '1.', '.5', '1.1234567891'])
			expect(send('set_task', changed(task, path, word)).ok).toBe(false);
	}
	expect(send('set_task', changed(task, [...queue, 'min_tempo'], '1')).ok).toBe(false);
});

test('the old name of a room is the new one', () => {
	const room = (type: string) => ({
		...task,
		input_stream: { content_type: 'audio', source: { type } },
		output_stream: { content_type: 'audio', target: { type } },
	});
	const read = send('set_task', room('livekit'));
	expect(read.ok && read.value.data).toEqual(room('webrtc'));
});
