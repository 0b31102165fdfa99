import { matchLanguage } from '#shared/protocol/languages.ts';
import type { FramePiece } from './frame.ts';
import { EVERY_LANGUAGE, type OverlaySettings } from './style.ts';

export interface ShownTexts {
	readonly said: readonly FramePiece[];
	readonly translated: readonly FramePiece[];
}

/**
 * The texts of one row that a caption window shows. In a single language: the translation into it, otherwise the
 * source, which is in that language or stands in for a missing translation: nothing is left out.
 */
export function shownTexts(
	pieces: readonly FramePiece[],
	{ language, layout }: Pick<OverlaySettings, 'language' | 'layout'>,
): ShownTexts {
	const said = pieces.filter(({ kind }) => kind === 'source');
	const all = pieces.filter(({ kind }) => kind === 'translation');
	// `ORIGINAL` is no language: no translation is in it.
	const code = matchLanguage(
		language,
		all.map((piece) => piece.language),
	);
	const translated = language === EVERY_LANGUAGE ? all : all.filter((piece) => piece.language === code);
	return { said: layout === 'target' && translated.length > 0 ? [] : said, translated };
}
