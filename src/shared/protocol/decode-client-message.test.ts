import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '#test/support/texts.ts';
import { encodeClientMessage, type Task } from './client-message.ts';
import { decodeClientMessage } from './decode-client-message.ts';
import { ACCEPTED_SOURCES, ACCEPTED_TARGETS } from './languages.ts';

const codes = (set: ReadonlySet<string>) => fc.constantFrom(...set);

/** Tasks as the service takes them. */
const task: fc.Arbitrary<Task> = fc
	.record({
		type: fc.constantFrom('webrtc', 'ws'),
		speech: fc.boolean(),
		source: codes(ACCEPTED_SOURCES),
		targets: fc.array(codes(ACCEPTED_TARGETS), { minLength: 1, maxLength: 4 }),
		threshold: fc.double({ min: 0.3, max: 2, noNaN: true }),
		desired: fc.integer({ min: 2000, max: 20_000 }),
		more: fc.integer({ min: 2000, max: 20_000 }),
	})
	.map(({ type, speech, source, targets, threshold, desired, more }) => ({
		input_stream: {
			content_type: 'audio' as const,
			source:
				type === 'ws' ? { type, format: 'pcm_s16le' as const, sample_rate: 24_000, channels: 1 } : { type },
		},
		output_stream: speech ? { content_type: 'audio' as const, target: { type } } : null,
		pipeline: {
			transcription: { source_language: source, segment_confirmation_silence_threshold: threshold },
			translations: targets.map((target_language) => ({ target_language })),
			translation_queue_configs: {
				global: { desired_queue_level_ms: desired, max_queue_level_ms: desired + more },
			},
		},
	}));

function command(name: string, data: unknown): string {
	return JSON.stringify({ message_type: name, data });
}

/** Path to every value inside, so that any of them can be spoilt. */
function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
	if (typeof value !== 'object' || value === null) return [path];
	return [path, ...Object.entries(value).flatMap(([name, part]) => pathsOf(part, [...path, name]))];
}

function replaced(value: unknown, [name, ...rest]: readonly string[], put: unknown): unknown {
	if (name === undefined) return put;
	const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
		? [...value]
		: { ...(value as object) };
	Reflect.set(copy, name, replaced(Reflect.get(value as object, name), rest, put));
	return copy;
}

describe('set_task', () => {
	test('what we encode from a valid task is read back as it was', () => {
		fc.assert(
			fc.property(task, (data) => {
				const message = { message_type: 'set_task' as const, data };
				expect(decodeClientMessage(encodeClientMessage(message))).toEqual({ ok: true, value: message });
			}),
		);
	});

	test('a task with any one value spoilt is read or refused by name, never thrown at', () => {
		fc.assert(
			fc.property(task, fc.nat(), fc.jsonValue({ maxDepth: 2 }), (data, pick, junk) => {
				const paths = pathsOf(data);
				const spoilt = replaced(data, paths[pick % paths.length] ?? [], junk);
				const decoded = decodeClientMessage(command('set_task', spoilt));
				if (decoded.ok) expect(decoded.value.message_type).toBe('set_task');
				else
					expect(decoded.error).toMatchObject({ code: 'VALIDATION_ERROR', text: expect.stringMatching(/./) });
			}),
			{ numRuns: 300 },
		);
	});

	test('nulls and numbers written as text are taken in optional rows', () => {
		const decoded = decodeClientMessage(
			command('set_task', {
				input_stream: {
					content_type: 'audio',
					source: { type: 'ws', format: 'pcm_s16le', sample_rate: '24000', channels: 1 },
				},
				output_stream: { content_type: 'audio', target: { type: 'ws', format: null } },
				pipeline: {
					transcription: { source_language: 'en', detectable_languages: null, asr_model: null },
					translations: [{ target_language: 'es', speech_generation: null }],
					translation_queue_configs: null,
				},
			}),
		);
		expect(decoded.ok && decoded.value.data).toEqual({
			input_stream: {
				content_type: 'audio',
				source: { type: 'ws', format: 'pcm_s16le', sample_rate: 24_000, channels: 1 },
			},
			output_stream: { content_type: 'audio', target: { type: 'ws' } },
			pipeline: {
				transcription: { source_language: 'en', asr_model: null },
				translations: [{ target_language: 'es' }],
			},
		});
	});
});

describe('other commands', () => {
	test('data may be missing', () => {
		expect(decodeClientMessage('{"message_type":"get_task"}')).toMatchObject({
			ok: true,
			value: { data: {} },
		});
	});

	test('a drop without languages means all of them', () => {
		expect(decodeClientMessage(command('flush_task', {}))).toMatchObject({
			ok: true,
			value: { data: { languages: ['global'] } },
		});
	});

	test('a text to speak has 1 to 2048 characters', () => {
		const spoken = (text: string) =>
			decodeClientMessage(command('tts_task', { text, language: 'en', translate_text: true })).ok;
		expect([spoken(''), spoken('a'), spoken('a'.repeat(2048)), spoken('a'.repeat(2049))]).toEqual([
			false,
			true,
			true,
			false,
		]);
	});

	test('whatever comes is read or refused with a code', () => {
		const anything = fc.oneof(
			anyText,
			fc.uint8Array({ maxLength: 200 }),
			fc.jsonValue().map((json) => JSON.stringify(json)),
			fc
				.tuple(fc.constantFrom('get_task', 'flush_task', 'tts_task', 'end_task', 'set_task'), fc.jsonValue())
				.map(([name, data]) => command(name, data)),
		);
		fc.assert(
			fc.property(anything, (input) => {
				const decoded = decodeClientMessage(input);
				if (!decoded.ok) expect(['BAD_REQUEST', 'VALIDATION_ERROR']).toContain(decoded.error.code);
			}),
			{ numRuns: 300 },
		);
	});
});

test('encoding what is no command is our own bug and throws', () => {
	const wrong = { message_type: 'end_task' as const, data: { eos_timeout: Number.NaN } };
	expect(() => encodeClientMessage(wrong)).toThrow();
});
