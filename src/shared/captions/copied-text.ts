import { captionText } from './cues.ts';
import type { CaptionRow, Segment } from './segment.ts';

/** One row as text: the source, then each translation on its own line, as the text export writes them. */
export function rowText({ source, translations }: CaptionRow): string {
	return linesOf([...(source ? [[source]] : []), ...byLanguage(translations)]);
}

/** One line for each group of pieces, which form one sentence in one language; without empty lines. */
export function linesOf(groups: readonly (readonly Pick<Segment, 'text' | 'language'>[])[]): string {
	return groups
		.map(joined)
		.filter((line) => line !== '')
		.join('\n');
}

/** Words added to a copied text besides the captions. */
export interface CopyWords {
	/** Text for missing speech of this length, ms. */
	readonly lost: (ms: number) => string;
}

/** Consecutive rows, separated by empty lines. */
export function rowsText(rows: Iterable<CaptionRow>, words: CopyWords): string {
	const texts: string[] = [];
	for (const row of rows) {
		const text = row.lost ? words.lost(row.lost.endMs - row.lost.startMs) : rowText(row);
		if (text !== '') texts.push(text);
	}
	return texts.join('\n\n');
}

/** The current rows between two positions. */
export function rowsFrom(
	row: (index: number) => CaptionRow | undefined,
	from: number,
	to: number,
): readonly CaptionRow[] {
	return Array.from({ length: to - from }, (_, index) => row(from + index)).filter(
		(one) => one !== undefined,
	);
}

/** The texts of a row, and the mark of lost speech. */
export function segmentsOf({ source, translations, lost }: CaptionRow): readonly Segment[] {
	return [source, ...translations, lost].filter((one) => one != null);
}

/** Groups pieces by language, in the order of each language's first piece. */
export function byLanguage(segments: readonly Segment[]): readonly (readonly Segment[])[] {
	return [...Map.groupBy(segments, ({ language }) => language).values()];
}

/** One line, isolated as a whole: the pieces are one sentence. */
function joined(segments: readonly Pick<Segment, 'text' | 'language'>[]): string {
	const text = segments.map((segment) => segment.text).join(' ');
	return captionText({ text, language: segments[0]?.language ?? '' });
}
