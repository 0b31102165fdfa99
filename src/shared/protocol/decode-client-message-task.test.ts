import { expect, test } from 'vitest';
import type { Task } from './client-message.ts';
import { checkTask } from './decode-client-message.ts';

const socket: Task['input_stream']['source'] = {
	type: 'ws',
	format: 'pcm_s16le',
	sample_rate: 24_000,
	channels: 1,
};
const transcription = { source_language: 'en' };
const translation = { target_language: 'es' };

function task({
	source = socket,
	target = 'ws',
	...pipeline
}: Partial<Task['pipeline']> & {
	source?: Task['input_stream']['source'];
	target?: 'ws' | 'webrtc' | null;
} = {}): Task {
	return {
		input_stream: { content_type: 'audio', source },
		output_stream: target && { content_type: 'audio', target: { type: target } },
		pipeline: { transcription, translations: [translation], ...pipeline },
	};
}
const fieldOf = (given: Parameters<typeof task>[0]) => {
	const checked = checkTask(task(given));
	return checked.ok ? null : checked.error.field;
};
const SOURCE = 'input_stream.source';
const QUEUE = 'pipeline.translation_queue_configs.es';
const queue = (desired?: number, max?: number) => ({
	translation_queue_configs: { es: { desired_queue_level_ms: desired, max_queue_level_ms: max } },
});
const heard = (fields: object) => ({ transcription: { ...transcription, ...fields } });

test.each<readonly [Parameters<typeof task>[0], string | null]>([
	[{}, null],
	[{ target: null }, null],
	[{ source: { type: 'webrtc' }, target: 'webrtc' }, null],
	[{ source: { type: 'webrtc' } }, 'output_stream.target.type'],
	[{ target: 'webrtc' }, 'output_stream.target.type'],
	[{ source: { ...socket, format: undefined } }, `${SOURCE}.format`],
	[{ source: { ...socket, sample_rate: undefined } }, `${SOURCE}.sample_rate`],
	[{ source: { ...socket, sample_rate: 15_999 } }, `${SOURCE}.sample_rate`],
	[{ source: { ...socket, sample_rate: 16_000 } }, null],
	[{ source: { ...socket, sample_rate: 48_000 } }, null],
	[{ source: { ...socket, sample_rate: 48_001 } }, `${SOURCE}.sample_rate`],
	[{ source: { ...socket, sample_rate: Number.NaN } }, `${SOURCE}.sample_rate`],
	[{ source: { ...socket, channels: undefined } }, `${SOURCE}.channels`],
	[{ source: { ...socket, channels: 2 } }, null],
	[{ source: { ...socket, channels: 3 } }, `${SOURCE}.channels`],
	[heard({ source_language: 'en-gb' }), null],
	[heard({ source_language: 'tlh' }), 'pipeline.transcription.source_language'],
	[heard({ detectable_languages: ['de', 'fr'] }), null],
	[heard({ detectable_languages: ['de', 'tlh'] }), 'pipeline.transcription.detectable_languages.1'],
	...([0.29, 2.01] as const).map(
		(s) =>
			[
				heard({ segment_confirmation_silence_threshold: s }),
				'pipeline.transcription.segment_confirmation_silence_threshold',
			] as const,
	),
	...([0.3, 2] as const).map((s) => [heard({ segment_confirmation_silence_threshold: s }), null] as const),
	[{ translations: [translation, { target_language: 'tlh' }] }, 'pipeline.translations.1.target_language'],
	[{ translations: [{ ...translation, allowed_source_languages: ['en', 'de-at'] }] }, null],
	[
		{ translations: [{ ...translation, allowed_source_languages: ['en', 'tlh'] }] },
		'pipeline.translations.0.allowed_source_languages.1',
	],
	[queue(), null],
	[queue(1999), `${QUEUE}.desired_queue_level_ms`],
	[queue(2000), null],
	[queue(2000, 3999), `${QUEUE}.max_queue_level_ms`],
	[queue(2000, 4000), null],
	[queue(5000, 5000), `${QUEUE}.max_queue_level_ms`],
	[queue(5000, 5001), null],
	// For an omitted value the default counts.
	[queue(20_000), `${QUEUE}.max_queue_level_ms`],
	[queue(undefined, 4500), `${QUEUE}.max_queue_level_ms`],
])('%o: the field at fault is %s', (given, field) => {
	expect(fieldOf(given)).toBe(field);
});

test('a fault says what would be right, and at most 40 characters of what was there', () => {
	const textOf = (given: Parameters<typeof task>[0]) => {
		const checked = checkTask(task(given));
		return checked.ok ? null : checked.error.text;
	};
	expect(textOf({ source: { ...socket, sample_rate: 1 } })).toBe('Must be between 16000 and 48000');
	for (const row of ['format', 'sample_rate', 'channels'])
		expect(textOf({ source: { ...socket, [row]: undefined } })).toBe('Field required');
	expect(textOf({ source: { ...socket, channels: 3 } })).toBe('Must be 1 or 2');
	expect(textOf(heard({ detectable_languages: ['de', 'tlh'] }))).toMatch(/; was 'tlh'$/);
	expect(textOf({ translations: [{ ...translation, allowed_source_languages: ['tlh'] }] })).toMatch(
		/; was 'tlh'$/,
	);
	expect(textOf(heard({ segment_confirmation_silence_threshold: 3 }))).toBe('Must be between 0.3 and 2');
	expect(textOf(queue(1))).toBe('Must be at least 2000');
	expect(textOf(queue(2000, 1))).toBe('Must be at least 4000');
	expect(textOf(queue(5000, 5000))).toBe('Must be greater than desired_queue_level_ms');
	expect(textOf({ target: 'webrtc' })).toBe('Target type must equal the source type, ws');
	expect(textOf(heard({ source_language: 'x'.repeat(50) }))).toMatch(
		/^Input should be one of '.*', '.*'; was 'x{40}'$/,
	);
	expect(textOf({ translations: [{ target_language: 'tlh' }] })).toMatch(/'es'.*; was 'tlh'$/);
});
