import { AUTO } from '#shared/protocol/languages.ts';
import type { CaptionRow } from './segment.ts';

/**
 * The speaker's detected language: that of the last final sentence, or, before there is one, that of the present
 * partial, which may still change. `null` when nothing was heard. Typed text does not count.
 */
export function heardLanguage(row: (index: number) => CaptionRow | undefined, rows: number): string | null {
	let open: string | null = null;
	for (let index = rows - 1; index >= 0; index--) {
		const { source, typed } = row(index) ?? {};
		if (!source || typed || source.language === '' || source.language === AUTO) continue;
		if (source.final) return source.language;
		open ??= source.language;
	}
	return open;
}
