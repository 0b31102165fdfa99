import { z } from 'zod/mini';
import { field, isObject, parseJson, plainText, textField } from './json.ts';
import type { ServiceErrorMessage } from './server-message.ts';
import { readServiceError } from './service-error.ts';
import { normaliseId } from './values.ts';

/** Text to speech: flat `{type, …}` to the service, `{message_type, data}` back (protocol 5.3). */

export const TTS_LIMIT = {
	/** Longest text in characters; 256 in the documentation, 1,024 in current clients and the service. */
	characters: 1024,
	textsPerSecond: 50,
	sampleRateHz: { min: 8000, max: 48_000, default: 24_000 },
} as const;

const voiceOptions = {
	voice_id: z.optional(z.string()),
	/** It is disputed which number means normal speed (protocol 5.3): omitted unless the user changes it. */
	speed: z.optional(z.number()),
	/** 0 to 1. */
	deaccent_strength: z.optional(z.number()),
};

/** Messages of a client; the first one is the only `init`. */
export const TtsClientMessage = z.lazy(() =>
	z.discriminatedUnion('type', [
		z.looseObject({
			type: z.literal('init'),
			language: z.string(),
			/** Our own field: language of texts that are translated before they are spoken, only on this computer. */
			translate_from: z.optional(z.string()),
			model: z.optional(z.string()),
			voice_options: z.looseObject({ ...voiceOptions, voice_id: z.string() }),
			output: z.optional(
				z.looseObject({
					/** The service's own default is `mp3`. */
					format: z.optional(z.enum(['pcm', 'mp3', 'wav'])),
					sample_rate: z.optional(z.number()),
				}),
			),
		}),
		z.looseObject({
			type: z.literal('text'),
			text: z.string(),
			/** Ends the sentence: the rest is spoken and the last chunk marked. */
			is_eos: z.optional(z.boolean()),
			/** Chosen by the client; returned with the audio. */
			generation_id: z.optional(z.string()),
			voice_options: z.optional(z.looseObject(voiceOptions)),
			reset_context: z.optional(z.boolean()),
		}),
		/** Without a generation id, cancels everything that is being spoken. */
		z.looseObject({ type: z.literal('cancel'), generation_id: z.optional(z.string()) }),
	]),
);
export type TtsClientMessage = z.infer<typeof TtsClientMessage>;

export type TtsServerMessage =
	| TtsAudio
	| ServiceErrorMessage
	| { readonly type: 'warning'; readonly code: string; readonly text: string }
	/** Our own message: the words spoken instead of the text, sentence by sentence. */
	| { readonly type: 'translated'; readonly generationId: string | null; readonly text: string }
	/** A message of an unknown type, or an unreadable one: counted, never fatal. */
	| { readonly type: 'unknown'; readonly name: string };

export interface TtsAudio {
	readonly type: 'audio';
	/** Null if the service sends none. */
	readonly generationId: string | null;
	/** Base64, not decoded here; empty in the final marker. */
	readonly audio: string;
	readonly last: boolean;
}

/** Reads one frame, text or parsed JSON. Never throws. */
export function decodeTtsMessage(input: unknown): TtsServerMessage {
	const json = typeof input === 'string' ? parseJson(input) : ({ ok: true, value: input } as const);
	if (!json.ok) return { type: 'unknown', name: `(${json.error})` };
	const name = textField(json.value, 'message_type') ?? '';
	const data = field(json.value, 'data');
	switch (name) {
		case 'audio_chunk': {
			const audio = field(data, 'audio') ?? '';
			if (!isObject(data) || typeof audio !== 'string') return { type: 'unknown', name };
			const generationId = normaliseId(field(data, 'generation_id'));
			return { type: 'audio', generationId, audio, last: field(data, 'last_chunk') === true };
		}
		case 'translated_text': {
			const generationId = normaliseId(field(data, 'generation_id'));
			return { type: 'translated', generationId, text: textField(data, 'text') ?? '' };
		}
		case 'error':
			return readServiceError(data);
		case 'warning':
			return {
				type: 'warning',
				code: plainText(textField(data, 'code') ?? '', 64),
				text: plainText(textField(data, 'message') ?? '', 300),
			};
		default:
			return { type: 'unknown', name: plainText(name, 64) || '(no-type)' };
	}
}
