import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '#test/support/texts.ts';
import { decodeServerMessage } from './decode-server-message.ts';
import type { ServerMessage } from './server-message.ts';

const TYPES: ReadonlySet<ServerMessage['type']> = new Set([
	'task-status',
	'current-task',
	'transcript',
	'output-audio',
	'queue-level',
	'timings',
	'end-of-stream',
	'warning',
	'error',
	'unknown',
]);
const NAMES = [
	'task_status',
	'current_task',
	'partial_transcription',
	'validated_transcription',
	'partial_translated_transcription',
	'translated_transcription',
	'output_audio_data',
	'pipeline_timings',
	'tts_buffer_stats',
	'end_of_stream',
	'eos',
	'warning',
	'error',
];
const FIELDS = [
	'__proto__',
	'constructor',
	'toString',
	'transcription',
	'transcription_id',
	'translation_part_id',
	'language',
	'text',
	'segments',
	'start',
	'end',
	'code',
	'desc',
	'msg',
	'loc',
	'stats',
	'timings',
	'pipeline',
	'translations',
	'target_language',
	'command',
	'event',
	'task_status',
	'current_queue_level_ms',
	'es',
];

const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/** Values made of protocol words in all the wrong places. */
const { value: protocolValue } = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 6 },
		fc.constantFrom<unknown>(null, true, 0, -1, 1e300, '', '\ud800', '{"a":1}', 'es', '__proto__', 'x|y'),
		anyText,
		fc.array(tie('value'), { maxLength: 4 }),
		fc
			.array(fc.tuple(fc.constantFrom(...FIELDS), tie('value')), { maxLength: 5 })
			.map((entries) => Object.fromEntries(entries)),
	),
}));

function expectSound(message: ServerMessage): void {
	expect(TYPES).toContain(message.type);
	expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(INHERITED);
	if (message.type === 'transcript') {
		expect(message.transcriptionId).not.toBe('');
		expect(message.transcriptionId + message.partId + message.language).not.toContain('|');
		expect(message.transcriptionId in Object.prototype).toBe(false);
		expect(message.text.isWellFormed()).toBe(true);
		expect(message.text.length).toBeLessThanOrEqual(65_536);
	}
	if (message.type === 'error' || message.type === 'warning') {
		expect(message.text.length).toBeLessThanOrEqual(300);
		expect(message.text).not.toMatch(/[\r\n]/);
	}
	if (message.type === 'output-audio') {
		expect(message.transcriptionId).not.toBe('');
		expect(message.language).toMatch(/^[a-z0-9_-]+$/);
	}
	if (message.type === 'unknown') expect(message.name.length).toBeLessThanOrEqual(64);
}

describe('whatever comes, it is a known message or counted as unknown', () => {
	test('for any text', () => {
		fc.assert(fc.property(anyText, (text) => expectSound(decodeServerMessage(text))));
	});

	test('for any bytes', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => expectSound(decodeServerMessage(bytes))),
		);
	});

	test('for any JSON, parsed or not', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (json) => {
				expectSound(decodeServerMessage(json));
				if (typeof json === 'string') return;
				const text = JSON.stringify(json);
				expect(decodeServerMessage(text)).toEqual(decodeServerMessage(JSON.parse(text)));
			}),
		);
	});

	test('for the words of the protocol in the wrong places', () => {
		fc.assert(
			fc.property(fc.constantFrom(...NAMES), protocolValue, (name, data) => {
				expectSound(decodeServerMessage({ message_type: name, data }));
				expectSound(decodeServerMessage(JSON.stringify({ message_type: name, data: JSON.stringify(data) })));
				expectSound(decodeServerMessage({ message_type: name, data: { transcription: data } }));
			}),
			{ numRuns: 300 },
		);
	});
});
