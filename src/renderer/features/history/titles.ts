import type { TFunction } from 'i18next';
import { list } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import { languageName } from '#renderer/window/words/languages.ts';
import type { HistoryRow } from '#shared/host/history.ts';
import { isRightToLeft } from '#shared/protocol/languages.ts';

/** What the user called it, else how it began. */
export function titleOf({ title, preview }: HistoryRow, t: TFunction): string {
	return title || preview || t('history.untitled');
}

/** `English → Spanish and Arabic`. */
export function languagesOf({ sources, targets }: HistoryRow, locale: string): string {
	const names = (codes: readonly string[]) =>
		list(
			codes.map((code) => languageName(code, locale).local),
			locale,
		);
	return [sources, targets]
		.filter((codes) => codes.length > 0)
		.map((codes) => isolate(names(codes)))
		.join(isRightToLeft(locale) ? ' ← ' : ' → ');
}
