import { AUTO } from '#shared/protocol/languages.ts';
import type { CaptionRow } from './segment.ts';

/** Rows looked through, newest first; none of them has a language only if the service gives none. */
export const LOOKED_BACK = 200;

/**
 * The speaker's detected language: that of the last final sentence, or, before there is one, that of the present
 * partial, which may still change. `null` when nothing was heard. Typed text does not count.
 */
export function heardLanguage(row: (index: number) => CaptionRow | undefined, rows: number): string | null {
	let open: string | null = null;
	for (let index = rows - 1; index >= Math.max(0, rows - LOOKED_BACK); index--) {
		const { source, typed } = row(index) ?? {};
		if (!source || typed || source.language === '' || source.language === AUTO) continue;
		if (source.final) return source.language;
		open ??= source.language;
	}
	return open;
}
