import { type Clips, createClips } from './clips.ts';
import { phrases, phraseText, spokenLanguage } from './phrases.ts';

/** What to say, by the number of the sentence in the conversation (from 1, without end). */
export interface PhrasePicker {
	source(sentence: number, language: string): string;
	translation(sentence: number, target: string): string;
	/** Packets for a target; `heard` is what the speaker said, for echoing. */
	voice(sentence: number, target: string, heard: readonly Uint8Array[]): readonly Uint8Array[];
	/** A text of the client's own (`tts_task`) in that target. */
	translate(text: string, from: string, target: string): string;
	voiceOf(text: string, target: string): readonly Uint8Array[];
	/** Whether there is a clip of exactly this text. */
	hasClip(text: string, target: string): boolean;
}

/** Ms of speech per character: slow enough for every language. */
const MS_PER_CHARACTER = 65;

function phraseAt(sentence: number) {
	const found = phrases[(sentence - 1) % phrases.length];
	if (!found) throw new Error('the phrase table is empty');
	return found;
}

/** `script` speaks the phrase table in order; `echo` gives back what it heard, and says so. */
export function createPhrasePicker(kind: 'script' | 'echo', clips: Clips = createClips()): PhrasePicker {
	function known(text: string, from: string) {
		const language = spokenLanguage(from);
		const plain = (written: string) => written.toLowerCase().replaceAll(/[\p{P}\s]/gu, '');
		return language && phrases.find((phrase) => plain(phrase.text[language]) === plain(text));
	}

	return {
		source: (sentence, language) =>
			kind === 'echo'
				? `Sentence ${sentence}, which the sandbox plays back as it heard it.`
				: phraseText(phraseAt(sentence), language),
		translation: (sentence, target) =>
			kind === 'echo' ? `[${target}] Echo of sentence ${sentence}.` : phraseText(phraseAt(sentence), target),
		voice(sentence, target, heard) {
			if (kind === 'echo') return heard;
			const clip = clips.packets(target, phraseAt(sentence).number);
			return clip.length > 0 ? clip : heard;
		},
		translate(text, from, target) {
			const phrase = known(text, from);
			return phrase ? phraseText(phrase, target) : `[${target}] The sandbox cannot translate: ${text}`;
		},
		voiceOf(text, target) {
			const phrase = known(text, target);
			return phrase
				? clips.packets(target, phrase.number)
				: clips.nearest(target, text.length * MS_PER_CHARACTER);
		},
		hasClip(text, target) {
			const phrase = known(text, target);
			return phrase ? clips.packets(target, phrase.number).length > 0 : false;
		},
	};
}
