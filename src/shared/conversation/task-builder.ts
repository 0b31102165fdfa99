import type { Problem } from '#shared/problem.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import { AUTO, baseOf, sameLanguage, TRANSCRIBED_SOURCES } from '#shared/protocol/languages.ts';
import { SOCKET_AUDIO, TASK_RANGE } from '#shared/protocol/limits.ts';
import { ALL_TRANSCRIPTS, FINAL_TRANSCRIPTS } from '#shared/protocol/vocabulary.ts';
import { type Choices, speechOf } from './choices.ts';
import { valuesOf } from './presets.ts';

/** Audio format of the sockets in both directions (protocol 4.5): mono s16le. */
const SOCKET_INPUT = { format: 'pcm_s16le', sample_rate: SOCKET_AUDIO.sampleRateHz, channels: 1 } as const;

/** The `set_task` for choices that have passed `checkChoices`: only core rows of protocol 4.5. */
export function buildTask(choices: Choices, transport: 'webrtc' | 'websocket'): Task {
	const values = valuesOf(choices);
	const socket = transport === 'websocket';
	return {
		input_stream: {
			content_type: 'audio',
			source: socket ? { type: 'ws', ...SOCKET_INPUT } : { type: 'webrtc' },
		},
		output_stream: {
			content_type: 'audio',
			target: socket ? { type: 'ws', format: SOCKET_INPUT.format } : { type: 'webrtc' },
		},
		pipeline: {
			transcription: {
				source_language: choices.speak,
				...(choices.speak === AUTO ? { detectable_languages: unique(choices.detectable) } : {}),
				segment_confirmation_silence_threshold: values.silenceThresholdS,
				sentence_splitter: { enabled: values.sentenceSplitter },
				// Our own field, for the interpreter on this computer: corrections made before translation.
				...(choices.correctedHere && { corrections: choices.correctedHere }),
				...glossariesOf.transcription(choices.glossaries),
			},
			translations: unique(choices.hear).map((language) => ({
				target_language: language,
				...(choices.bothWays ? { allowed_source_languages: othersOf(language, choices.detectable) } : {}),
				translate_partial_transcriptions: values.translatePartials,
				speech_generation: speechOf(choices.voices[language]),
				...glossariesOf.translation(choices.glossaries),
			})),
			translation_queue_configs: {
				global: {
					desired_queue_level_ms: values.desiredQueueMs,
					max_queue_level_ms: values.maxQueueMs,
					auto_tempo: values.autoTempo,
					min_tempo: values.minTempo,
					max_tempo: values.maxTempo,
				},
			},
			// All other messages that we need are always sent.
			allowed_message_types: [...ALL_TRANSCRIPTS],
		},
	};
}

/** The same task for a connection that is too slow for partial texts. */
export function withoutPartials(task: Task): Task {
	const { pipeline } = task;
	return {
		...task,
		pipeline: {
			...pipeline,
			translations: pipeline.translations.map((one) => ({ ...one, translate_partial_transcriptions: false })),
			allowed_message_types: [...FINAL_TRANSCRIPTS],
		},
	};
}

/** Requests the shortest queue of unspoken translations: the service drops older speech (protocol 4.5). */
export function withShortQueue(task: Task): Task {
	const { pipeline } = task;
	const { desiredQueueMs, maxQueueMs } = TASK_RANGE;
	const global = {
		...pipeline.translation_queue_configs?.global,
		desired_queue_level_ms: desiredQueueMs.min,
		max_queue_level_ms: maxQueueMs.min,
	};
	return { ...task, pipeline: { ...pipeline, translation_queue_configs: { global } } };
}

/** Field of protocol 8; omitted if all glossaries apply, which is the default. */
const glossariesOf = {
	transcription(chosen: Choices['glossaries']) {
		if (chosen === 'all') return {};
		if (chosen === 'none')
			return {
				allow_hotwords_glossaries: false,
				verification: { allow_verification_glossaries: false },
			};
		const ids = [...chosen];
		return {
			allowed_hotwords_glossary_ids: ids,
			verification: { allowed_verification_glossary_ids: ids },
		};
	},
	translation(chosen: Choices['glossaries']) {
		if (chosen === 'all') return {};
		return chosen === 'none'
			? { allow_translation_glossaries: false }
			: { allowed_translation_glossary_ids: [...chosen] };
	},
} as const;

/** Why these choices cannot be interpreted; null = they can. Same language = same base (protocol 6.3). */
export function checkChoices(choices: Choices): Problem | null {
	const targets = unique(choices.hear);
	const { speak } = choices;
	if (speak === '') return { kind: 'language-missing' };
	if (choices.mode === 'captions') {
		const unknown = [speak, ...targets].find((code) => !isTranscribed(code));
		if (unknown !== undefined) return { kind: 'language-not-transcribed', language: unknown };
	} else {
		if (targets.length === 0) return { kind: 'language-missing' };
		if (speak === AUTO && unique(choices.detectable).length === 0) return { kind: 'language-missing' };
	}
	if (choices.bothWays) {
		const alone = targets.find((target) => othersOf(target, choices.detectable).length === 0);
		if (alone) return { kind: 'languages-same', language: alone };
	}
	const same = targets.find((target) => sameLanguage(target, speak));
	return same ? { kind: 'languages-same', language: same } : null;
}

/**
 * Whether the language supports captions without a voice: the speech-to-text socket has no regions (protocol 6.4).
 */
export function isTranscribed(code: string): boolean {
	return TRANSCRIBED_SOURCES.includes(baseOf(code));
}

/** Languages that may be translated into `target`; an empty list would mean all (protocol 4.5). */
function othersOf(target: string, sources: readonly string[]): string[] {
	return unique(sources).filter((source) => !sameLanguage(source, target));
}

function unique(codes: readonly string[]): string[] {
	return [...new Set(codes.filter((code) => code !== ''))];
}
