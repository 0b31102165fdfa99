import { AUTO } from '#shared/protocol/languages.ts';
import type { CaptionRow } from './segment.ts';

/**
 * What language the speaker is taken for: that of the last finished sentence, and before there is one that of what is
 * being heard, which may still turn out to be another. `null` when nothing was heard. What was typed is not heard.
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
