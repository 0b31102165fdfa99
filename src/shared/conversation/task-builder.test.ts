import { describe, expect, it } from 'vitest';
import { Task } from '#shared/protocol/client-message.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import type { Choices } from './choices.ts';
import { presets, valuesOf } from './presets.ts';
import { buildTask, checkChoices, withoutPartials } from './task-builder.ts';

const choices: Choices = defaultSettings;
const noExpert = defaultSettings.expert;

describe('a task', () => {
	it('without unfinished texts asks for finished ones only, has nothing unfinished translated, and is the same else', () => {
		const whole = buildTask({ ...choices, preset: 'fast', hear: ['es', 'fr'] }, 'webrtc');
		const { pipeline } = withoutPartials(whole);
		expect(pipeline.allowed_message_types).toEqual(['validated_transcription', 'translated_transcription']);
		expect(pipeline.translations.map((one) => one.translate_partial_transcriptions)).toEqual([false, false]);
		const { allowed_message_types: _, ...rest } = pipeline;
		expect({
			...whole,
			pipeline: { ...whole.pipeline, ...rest, translations: whole.pipeline.translations },
		}).toEqual(whole);
	});

	it('holds the core rows of the protocol and nothing else', () => {
		expect(
			buildTask({ ...choices, hear: ['es', 'fr-ca', 'es'], voices: { 'fr-ca': 'voice-1' } }, 'webrtc'),
		).toEqual({
			input_stream: { content_type: 'audio', source: { type: 'webrtc' } },
			output_stream: { content_type: 'audio', target: { type: 'webrtc' } },
			pipeline: {
				transcription: {
					source_language: 'en',
					segment_confirmation_silence_threshold: 0.7,
					sentence_splitter: { enabled: true },
				},
				translations: [
					{
						target_language: 'es',
						translate_partial_transcriptions: false,
						speech_generation: { voice_id: 'default_low' },
					},
					{
						target_language: 'fr-ca',
						translate_partial_transcriptions: false,
						speech_generation: { voice_id: 'voice-1' },
					},
				],
				translation_queue_configs: {
					global: {
						desired_queue_level_ms: 5000,
						max_queue_level_ms: 20_000,
						auto_tempo: true,
						min_tempo: 1.15,
						max_tempo: 1.45,
					},
				},
				allowed_message_types: [
					'partial_transcription',
					'validated_transcription',
					'translated_transcription',
					'partial_translated_transcription',
				],
			},
		});
	});

	it('says nothing of glossaries unless some are left out, and then of every kind', () => {
		const { pipeline } = buildTask({ ...choices, hear: ['es'], glossaries: 'none' }, 'webrtc');
		expect(pipeline.transcription).toMatchObject({
			allow_hotwords_glossaries: false,
			verification: { allow_verification_glossaries: false },
		});
		expect(pipeline.translations).toMatchObject([{ allow_translation_glossaries: false }]);
		const chosen = buildTask({ ...choices, hear: ['es'], glossaries: ['g1'] }, 'webrtc').pipeline;
		expect(chosen.transcription).toMatchObject({
			allowed_hotwords_glossary_ids: ['g1'],
			verification: { allowed_verification_glossary_ids: ['g1'] },
		});
		expect(chosen.translations).toMatchObject([{ allowed_translation_glossary_ids: ['g1'] }]);
	});

	it('names the languages to detect only when detecting', () => {
		const detecting = buildTask({ ...choices, speak: 'auto', detectable: ['en', 'de', 'en'] }, 'webrtc');
		expect(detecting.pipeline.transcription).toMatchObject({
			source_language: 'auto',
			detectable_languages: ['en', 'de'],
		});
		expect(buildTask(choices, 'webrtc').pipeline.transcription.detectable_languages).toBeUndefined();
	});

	it('leaves out a language that is not chosen yet', () => {
		const { pipeline } = buildTask(
			{ ...choices, speak: 'auto', detectable: ['', 'de'], hear: ['es', ''] },
			'webrtc',
		);
		expect(pipeline.transcription.detectable_languages).toEqual(['de']);
		expect(pipeline.translations.map((one) => one.target_language)).toEqual(['es']);
	});

	it('says what audio a socket carries', () => {
		const task = buildTask(choices, 'websocket');
		expect(task.input_stream.source).toEqual({
			type: 'ws',
			format: 'pcm_s16le',
			sample_rate: 24_000,
			channels: 1,
		});
		expect(task.output_stream?.target).toEqual({ type: 'ws', format: 'pcm_s16le' });
	});

	it.each(['fast', 'balanced', 'accurate'] as const)(
		'of the preset %s is valid and its queue in order',
		(preset) => {
			expect(Task.safeParse(buildTask({ ...choices, preset }, 'webrtc')).success).toBe(true);
			expect(presets[preset].maxQueueMs).toBeGreaterThan(presets[preset].desiredQueueMs);
		},
	);

	it('follows the expert, and keeps pairs in the order the service insists on', () => {
		const values = valuesOf({
			preset: 'balanced',
			expert: { ...noExpert, silenceThresholdS: 0.5, desiredQueueMs: 30_000, minTempo: 1.6 },
		});
		expect(values).toMatchObject({
			silenceThresholdS: 0.5,
			desiredQueueMs: 30_000,
			maxQueueMs: 32_000,
			minTempo: 1.6,
			maxTempo: 1.6,
		});
	});
});

describe('choices', () => {
	it.each<[string, Partial<Choices>, unknown]>([
		['no target', { hear: [] }, { kind: 'language-missing' }],
		['an empty source', { speak: '' }, { kind: 'language-missing' }],
		['detection among nothing', { speak: 'auto', detectable: [] }, { kind: 'language-missing' }],
		[
			'the same language by its base',
			{ speak: 'en', hear: ['fr', 'en-gb'] },
			{ kind: 'languages-same', language: 'en-gb' },
		],
		['detection', { speak: 'auto', hear: ['en'] }, null],
		['two languages', {}, null],
		['nothing to detect among, where nothing is detected', { detectable: [] }, null],
		['one language to detect, one way', { speak: 'auto', detectable: ['en'], hear: ['en'] }, null],
		[
			'both ways, of which one leads nowhere',
			{ speak: 'auto', detectable: ['en', 'en-gb', ''], hear: ['es', 'en-us'], bothWays: true },
			{ kind: 'languages-same', language: 'en-us' },
		],
		['both ways', { speak: 'auto', detectable: ['en', 'es'], hear: ['es', 'en-us'], bothWays: true }, null],
	])('%s', (_name, over, problem) => {
		expect(checkChoices({ ...choices, ...over })).toEqual(problem);
	});

	it.each([
		['of a language that the service does not write down', 'vi', [], 'vi'],
		['in a language that the service does not write down', 'en', ['es', 'vi'], 'vi'],
		['of one that it does', 'en', [], null],
	])('captions %s', (_name, speak, hear, language) => {
		expect(checkChoices({ ...choices, mode: 'captions', speak, hear })).toEqual(
			language === null ? null : { kind: 'language-not-transcribed', language },
		);
	});
});

describe('both directions in one session', () => {
	it('translates each language into the other and not into itself (protocol 6.3)', () => {
		const task = buildTask(
			{ ...choices, speak: 'auto', detectable: ['en', 'es'], hear: ['es-mx', 'en-us'], bothWays: true },
			'webrtc',
		);
		expect(task.pipeline.transcription).toMatchObject({
			source_language: 'auto',
			detectable_languages: ['en', 'es'],
		});
		expect(
			task.pipeline.translations.map((one) => [one.target_language, one.allowed_source_languages]),
		).toEqual([
			['es-mx', ['en']],
			['en-us', ['es']],
		]);
		expect(Task.safeParse(task).success).toBe(true);
	});

	it('leaves other tasks as they were', () => {
		const [translation] = buildTask(choices, 'webrtc').pipeline.translations;
		expect(translation).not.toHaveProperty('allowed_source_languages');
	});
});
