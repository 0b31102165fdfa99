import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOggOpus } from '#sandbox/speech/ogg-opus.ts';
import { phrases, type SpokenLanguage, spokenLanguage } from './phrases.ts';

/** How many folders up the resources may be: the bundle lies one to three below the root. */
const LEVELS = 6;

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

export interface Clips {
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
