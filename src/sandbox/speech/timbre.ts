import { baseOf } from '#shared/protocol/languages.ts';
import { VOICE } from '#shared/protocol/vocabulary.ts';

/**
 * The timbre of a voice. Samples are not analysed: all cloned voices share a timbre that no built-in voice has.
 */
export type Timbre = 'low' | 'high' | 'cloned';

/** Timbre of a built-in voice (protocol 7.1); null: the id is not a built-in voice. */
export function builtInTimbre(voiceId: string): Timbre | null {
	if (voiceId === VOICE.low) return 'low';
	return voiceId === VOICE.high ? 'high' : null;
}

/** Words per minute at `speed` 1. */
const WORDS_PER_MINUTE = 165;

/** Limits of espeak-ng. */
const SLOWEST = 80;

const FASTEST = 450;

/** Language codes for which espeak-ng uses another name. */
const NAMES: ReadonlyMap<string, string> = new Map([
	['zh', 'cmn'],
	['no', 'nb'],
	['en-us', 'en-us'],
	['en-gb', 'en-gb'],
	['es-mx', 'es-419'],
	['es-la', 'es-419'],
	['es-ar', 'es-419'],
	['es-co', 'es-419'],
	['es-ch', 'es-419'],
	['pt-br', 'pt-br'],
	['pt-la', 'pt-br'],
]);

/** espeak-ng's voice name for a language; `others` take precedence over its usual names. */
export function espeakName(language: string, others: ReadonlyMap<string, string> = new Map()): string {
	const code = language.toLowerCase();
	const nameOf = (one: string) => others.get(one) ?? NAMES.get(one);
	return nameOf(code) ?? nameOf(baseOf(code)) ?? baseOf(code);
}

/** Speed of espeak-ng, words per minute; a tempo of 1 is normal. */
export function wordsPerMinute(tempo: number): number {
	return Math.round(Math.max(SLOWEST, Math.min(FASTEST, WORDS_PER_MINUTE * tempo)));
}
