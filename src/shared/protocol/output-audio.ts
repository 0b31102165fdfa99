import { decodeBase64 } from '#shared/lib/base64.ts';
import { normaliseId } from './ids.ts';
import { field, isObject } from './json.ts';
import type { OutputAudioMessage } from './server-message.ts';

const LANGUAGE = /^[a-z0-9_-]{1,35}$/;

/**
 * `data` of `output_audio_data` (protocol 5.1.3): one piece of a sentence's speech, in the format the
 * task asked for. `null` when it is not readable at all; bytes that are not base64 are a `null` payload,
 * since the end of the sentence it may mark still counts.
 */
export function readOutputAudio(data: unknown): OutputAudioMessage | null {
	if (!isObject(data)) return null;
	const encoded = field(data, 'data') ?? '';
	const language = field(data, 'language');
	const code = typeof language === 'string' ? language.trim().toLowerCase() : '';
	return {
		type: 'output-audio',
		transcriptionId: normaliseId(field(data, 'transcription_id')) ?? '~unnamed',
		// A number in texts, a string in audio (protocol 4.6).
		partId: normaliseId(field(data, 'translation_part_id')) ?? '0',
		language: LANGUAGE.test(code) ? code : 'und',
		last: field(data, 'last_chunk') === true,
		payload: typeof encoded === 'string' ? decodeBase64(encoded) : null,
	};
}
