import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOggOpus } from '#sandbox/speech/ogg-opus.ts';
import { phrases, phraseText, type SpokenLanguage, spokenLanguage } from './phrases.ts';

/** How many folders up the resources may be: the bundle lies one to three below the root. */
const LEVELS = 6;

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

/**
 * The folder `resources/speech`, from the source tree, from the bundle (`out/main`) and from a
 * packaged app (beside or inside the archive); null when it was left out.
 */
export function findSpeechFolder(from: string = import.meta.url): string | null {
	const packaged: unknown = Reflect.get(process, 'resourcesPath');
	const places =
		typeof packaged === 'string' ? [join(packaged, 'speech'), join(packaged, 'resources/speech')] : [];
	let folder = dirname(fileURLToPath(from));
	for (let level = 0; level < LEVELS; level += 1) {
		places.push(join(folder, 'resources/speech'));
		folder = dirname(folder);
	}
	return places.find((place) => existsSync(join(place, 'en/1.ogg'))) ?? null;
}

interface Clips {
	/** 20 ms Opus packets of a phrase in that language (or its base); empty when there are none. */
	packets(languageCode: string, phraseNumber: number): readonly Uint8Array[];
	/** The phrase whose clip is closest to that length, ms; for texts that are not in the table. */
	nearest(languageCode: string, lengthMs: number): readonly Uint8Array[];
}

/** Reads clips from `folder` when first asked for; a missing or broken one is empty, never an error. */
export function createClips(folder: string | null = findSpeechFolder()): Clips {
	const read = new Map<string, readonly Uint8Array[]>();

	function load(language: SpokenLanguage, number: number): readonly Uint8Array[] {
		const name = `${language}/${number}.ogg`;
		const known = read.get(name);
		if (known) return known;
		const path = folder && join(folder, name);
		const clip = path && existsSync(path) ? readOggOpus(readFileSync(path)) : null;
		const found = clip?.ok ? clip.value : [];
		read.set(name, found);
		return found;
	}

	return {
		packets(code, number) {
			const language = spokenLanguage(code);
			return language ? load(language, number) : [];
		},
		nearest(code, lengthMs) {
			const language = spokenLanguage(code);
			if (!language) return [];
			const distance = (packets: readonly Uint8Array[]) => Math.abs(packets.length * 20 - lengthMs);
			return phrases
				.map(({ number }) => load(language, number))
				.reduce((best, next) => (distance(next) < distance(best) ? next : best));
		},
	};
}
