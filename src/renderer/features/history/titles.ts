import { factsOf, fromTo, list } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { HistoryRow } from '#shared/host/history.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { placeInTime } from './place-in-time.ts';

/** What a title is built with. */
export interface TitleWords {
	readonly locale: string;
	/** Unix ms of this computer, which decides what "today" is. */
	readonly now: number;
}

/** The user's title, or else its time and its languages: `Today, 10:42 · English → Español · Spanish`. */
export function titleOf(row: HistoryRow, words: TitleWords): string {
	return row.title || factsOf([whenOf(row, words), languagesOf(row, words.locale)]);
}

/** `Today, 10:42`, `Tuesday, 10:42`, `4 May, 10:42`. */
export function whenOf({ startedAt }: HistoryRow, { locale, now }: TitleWords): string {
	return isolate(placeInTime(startedAt, now, locale));
}

/** `English → Español · Spanish`; empty where nothing was said yet. */
export function languagesOf({ sources, targets }: HistoryRow, locale: string): string {
	const names = (codes: readonly string[]) =>
		list(
			codes.map((code) => languageLabel(code, locale)),
			locale,
		);
	const [from, to] = [names(sources), names(targets)];
	return from && to ? fromTo(from, to, locale) : from || to;
}
