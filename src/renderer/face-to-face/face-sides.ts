import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import type { FaceSide } from '#shared/face-to-face/turn-rules.ts';
import { matchLanguage, sameLanguage } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** Which language each of two people speaks and reads, as service codes. */
export interface FaceLanguages {
	readonly me: string;
	readonly partner: string;
}

type Pair = Pick<Settings, 'speak' | 'hear' | 'voiceOf'>;

/** Derived from the chosen languages. */
export function faceLanguages({ speak, hear, voiceOf }: Pair): FaceLanguages {
	const partner = matchLanguage(voiceOf, hear) ?? hear[0] ?? '';
	return { me: speak, partner };
}

/** The speaker of a row; null while unknown. */
export function speakerOf(row: CaptionRow, pair: Pair): FaceSide | null {
	if (row.leg === 'incoming') return 'partner';
	const { me, partner } = faceLanguages(pair);
	const spoken = row.source?.language;
	if (spoken === undefined) return null;
	if (sameLanguage(spoken, partner)) return 'partner';
	return sameLanguage(spoken, me) ? 'me' : null;
}

/** A row for the person of this side, in their language: their own words, or the other's translated. */
export interface Line {
	readonly key: string;
	readonly own: boolean;
	readonly text: string;
	readonly language: string;
	readonly final: boolean;
}

export function lineFor(row: CaptionRow, side: FaceSide, languages: FaceLanguages): Line | null {
	const { [side]: language } = languages;
	const { source, transcriptionId: key } = row;
	if (source && sameLanguage(source.language, language)) {
		return { key, own: true, text: source.text, language: source.language, final: source.final };
	}
	const pieces = row.translations.filter((one) => sameLanguage(one.language, language));
	const [first] = pieces;
	if (!first) return null;
	return {
		key,
		own: false,
		text: joined(pieces),
		language: first.language,
		final: pieces.every(({ final }) => final),
	};
}

function joined(pieces: readonly Segment[]): string {
	return pieces.map(({ text }) => text).join(' ');
}
