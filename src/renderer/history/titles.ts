import { duration, factsOf, fromTo, list } from '#renderer/i18n/format.ts';
import { isolate, type TFunction } from '#renderer/i18n/i18n.ts';
import type { HistoryRow } from '#shared/host/history.ts';
import { languageName } from '#shared/i18n/language-names.ts';
import { cut } from '#shared/protocol/json.ts';
import { sameLanguage } from '#shared/protocol/languages.ts';
import { MODES } from '#shared/settings/schema.ts';

export interface TitleWords {
	readonly locale: string;
	/** The current time on this computer, Unix ms; decides which day is "today". */
	readonly now: number;
}

/** The user's title, or else the first words; without captions, the time and the languages. */
export function titleOf(row: HistoryRow, words: TitleWords): string {
	return (
		row.title || firstWords(row.preview) || factsOf([whenOf(row, words), languagesOf(row, words.locale)])
	);
}

/** Enough to recognise a conversation by, in characters. */
const TITLE_LETTERS = 60;

function firstWords(preview: string): string {
	if (preview.length <= TITLE_LETTERS) return preview;
	const part = cut(preview, TITLE_LETTERS);
	const space = part.lastIndexOf(' ');
	return `${space > TITLE_LETTERS / 2 ? part.slice(0, space) : part}…`;
}

/** `Meeting · English ⇄ German · Today, 8:39 PM · 4 min`. */
export function aboutOf(row: HistoryRow, words: TitleWords, t: TFunction): string {
	// A mode of a later version has no name here.
	const known = MODES.find((mode) => mode === row.mode);
	const mode = known ? t(`mode.${known}`) : '';
	const length = isolate(duration(row.lengthMs, words.locale));
	return factsOf([mode, languagesOf(row, words.locale), whenOf(row, words), length]);
}

/** `Today, 10:42`, `Tuesday, 10:42`, `4 May, 10:42`. */
export function whenOf({ startedAt }: HistoryRow, { locale, now }: TitleWords): string {
	return isolate(placeInTime(startedAt, now, locale));
}

/** `English → Spanish`, or `English ⇄ Spanish` if both were spoken; empty without captions. */
export function languagesOf({ sources, targets }: HistoryRow, locale: string): string {
	const name = (code: string) => languageName(code, locale).local;
	const names = (codes: readonly string[]) => list(codes.map(name), locale);
	const [one, other] = sources;
	const isBack =
		sources.length === 2 && sources.every((code) => targets.some((to) => sameLanguage(to, code)));
	if (one && other && isBack) return [one, other].map((code) => isolate(name(code))).join(' ⇄ ');
	const [from, to] = [names(sources), names(targets)];
	return from && to ? fromTo(from, to, locale) : from || to;
}

/** `Today, 10:42`, `Tuesday, 10:42`, `4 May, 10:42`: unix ms, seen from `now`. */
export function placeInTime(unixMs: number, now: number, locale: string): string {
	const parts = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).formatToParts(
		unixMs,
	);
	const time = parts.findIndex(({ type }) => type === 'hour' || type === 'dayPeriod');
	// The separator between day and time comes from the locale: a comma, its own comma, a space.
	return [dayOf(unixMs, now, locale), ...parts.slice(time - 1).map(({ value }) => value)].join('');
}

/** The day in words: `Today`, `Yesterday`, the weekday within a week, else `4 May`, with any other year. */
function dayOf(unixMs: number, now: number, locale: string): string {
	const [then, today] = [calendarDay(unixMs), calendarDay(now)];
	const ago = today.number - then.number;
	if (ago === 0 || ago === 1) {
		const day = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-ago, 'day');
		return day.charAt(0).toLocaleUpperCase(locale) + day.slice(1);
	}
	const day = new Intl.DateTimeFormat(locale, {
		...(ago > 1 && ago < 7
			? { weekday: 'long' }
			: { day: 'numeric', month: 'long', ...(then.year !== today.year && { year: 'numeric' }) }),
	}).format(unixMs);
	return day.charAt(0).toLocaleUpperCase(locale) + day.slice(1);
}

/** The local calendar day: its year, and its serial number, which does not depend on the length of days. */
function calendarDay(unixMs: number): { readonly year: number; readonly number: number } {
	const parts = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
		year: 'numeric',
		month: 'numeric',
		day: 'numeric',
	}).formatToParts(unixMs);
	const part = (wanted: string) => Number(parts.find(({ type }) => type === wanted)?.value);
	const [year, month, day] = [part('year'), part('month'), part('day')];
	// This formula is valid from 1901 to 2099.
	const number =
		367 * year -
		Math.floor((7 * (year + Math.floor((month + 9) / 12))) / 4) +
		Math.floor((275 * month) / 9) +
		day;
	return { year, number };
}
