import { SPEECH_HZ } from './pcm.ts';

/** The note sent when the placeholder has spoken. */
export const PLACEHOLDER_NOTE =
	'The sandbox cannot speak this text: espeak-ng is not installed or lacks the language. Tones take its place.';

const SYLLABLE_MS = 170;
const GAP_MS = 90;
const PAUSE_MS = 320;
const MAX_SYLLABLES = 600;

/** Tones shaped like syllables, one for each two letters, gaps between words, 24 kHz mono. */
export function placeholderVoice(text: string): Float32Array {
	const parts: Float32Array[] = [];
	let syllables = 0;
	for (const word of text.split(/\s+/u)) {
		const letters = [...word.replaceAll(/[^\p{L}\p{N}]/gu, '')];
		for (let at = 0; at < letters.length && syllables < MAX_SYLLABLES; at += 2) {
			syllables += 1;
			parts.push(syllable(letters[at]?.codePointAt(0) ?? 0));
		}
		parts.push(new Float32Array(samplesOf(/[.,!?;:。、？،؟]$/u.test(word) ? PAUSE_MS : GAP_MS)));
	}
	if (syllables === 0) parts.unshift(syllable(0));
	const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
	let at = 0;
	for (const part of parts) {
		out.set(part, at);
		at += part.length;
	}
	return out;
}

function syllable(letter: number): Float32Array {
	const pitchHz = 110 + (letter % 12) * 9;
	const out = new Float32Array(samplesOf(SYLLABLE_MS));
	for (let index = 0; index < out.length; index += 1) {
		const phase = (2 * Math.PI * pitchHz * index) / SPEECH_HZ;
		const shape = Math.sin((Math.PI * index) / out.length);
		out[index] = 0.25 * shape * (Math.sin(phase) + 0.5 * Math.sin(2 * phase) + 0.3 * Math.sin(3 * phase));
	}
	return out;
}

function samplesOf(ms: number): number {
	return Math.round((SPEECH_HZ * ms) / 1000);
}
