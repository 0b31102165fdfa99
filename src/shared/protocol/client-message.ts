import { z } from 'zod/mini';

/** The `data` of `set_task`: core rows of protocol 4.5 in the form in which we send them. */
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

const empty = z.looseObject({});
/** `global` = every language. */
const dropped = z.looseObject({ languages: z.array(z.string()), pause_task: z.optional(z.boolean()) });

/** Commands, identical on the data channel and the speech-to-speech socket (protocol 4.4). */
export const ClientMessage = z.lazy(() =>
	z.discriminatedUnion('message_type', [
		z.object({ message_type: z.literal('set_task'), data: Task }),
		z.object({ message_type: z.literal('get_task'), data: empty }),
		z.object({ message_type: z.literal('pause_task'), data: empty }),
		/** The older generation's command to drop the phrase in progress. */
		z.object({ message_type: z.literal('flush_task'), data: dropped }),
		/** The current generation's command to drop the phrase in progress. */
		z.object({ message_type: z.literal('interrupt_task'), data: dropped }),
		z.object({
			message_type: z.literal('tts_task'),
			data: z.looseObject({ text: z.string(), language: z.string(), translate_text: z.boolean() }),
		}),
		z.object({
			message_type: z.literal('end_task'),
			data: z.looseObject({ force: z.optional(z.boolean()), eos_timeout: z.optional(z.number()) }),
		}),
	]),
);
export type ClientMessage = z.infer<typeof ClientMessage>;
export type CommandName = ClientMessage['message_type'];

/** The JSON of a command. Throws on anything else: a bug. `checkTask` checks what the user chooses. */
export function encodeClientMessage(message: ClientMessage): string {
	return JSON.stringify(ClientMessage.parse(message));
}
