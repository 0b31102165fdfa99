import { z } from 'zod/mini';

/** The `data` of `set_task`: core rows of protocol 4.5, as we send them. */
export const Task = z.lazy(() =>
	z.looseObject({
		input_stream: z.looseObject({
			content_type: z.literal('audio'),
			source: z.looseObject({
				type: z.enum(['webrtc', 'ws']),
				format: z.optional(z.enum(['pcm_s16le', 'opus', 'wav'])),
				/** Hz, 16000 to 48000. */
				sample_rate: z.optional(z.number()),
				channels: z.optional(z.number()),
			}),
		}),
		/** `null` = text only. */
		output_stream: z.nullable(
			z.looseObject({
				content_type: z.literal('audio'),
				target: z.looseObject({ type: z.enum(['webrtc', 'ws']), format: z.optional(z.string()) }),
			}),
		),
		pipeline: z.looseObject({
			transcription: z.looseObject({
				source_language: z.string(),
				detectable_languages: z.optional(z.array(z.string())),
				/** Seconds, 0.3 to 2.0. */
				segment_confirmation_silence_threshold: z.optional(z.number()),
				sentence_splitter: z.optional(z.looseObject({ enabled: z.boolean() })),
			}),
			translations: z.array(
				z.looseObject({
					target_language: z.string(),
					translate_partial_transcriptions: z.optional(z.boolean()),
					allowed_source_languages: z.optional(z.array(z.string())),
					speech_generation: z.optional(
						z.looseObject({
							voice_id: z.optional(z.string()),
							voice_cloning: z.optional(z.boolean()),
							voice_timbre_detection: z.optional(z.looseObject({ enabled: z.boolean() })),
						}),
					),
				}),
			),
			translation_queue_configs: z.optional(
				z.record(
					z.string(),
					z.looseObject({
						desired_queue_level_ms: z.optional(z.number()),
						max_queue_level_ms: z.optional(z.number()),
						auto_tempo: z.optional(z.boolean()),
						min_tempo: z.optional(z.number()),
						max_tempo: z.optional(z.number()),
					}),
				),
			),
			allowed_message_types: z.optional(z.array(z.string())),
		}),
	}),
);
export type Task = z.infer<typeof Task>;
