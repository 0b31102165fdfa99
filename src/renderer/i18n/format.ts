import { isRightToLeft } from '#shared/protocol/languages.ts';
import { isolate } from './i18n.ts';

/** Numbers and times in the language of the interface; nothing here reads a clock. */

/** `1.8 sec`, one decimal. */
export function seconds(ms: number, locale: string): string {
	return unit(ms / 1000, 'second', locale, 1);
}

/** The length of a gap in the interpretation: like `seconds` below two minutes, then like `duration`. */
export function gapLength(ms: number, locale: string): string {
	return ms < 120_000 ? seconds(ms, locale) : duration(ms, locale);
}

/** Whole seconds below two minutes, whole minutes below two hours, then hours. */
export function duration(ms: number, locale: string): string {
	const s = Math.max(0, Math.round(ms / 1000));
	if (s < 120) return unit(s, 'second', locale, 0);
	if (s < 7200) return unit(Math.round(s / 60), 'minute', locale, 0);
	return unit(Math.round(s / 3600), 'hour', locale, 0);
}

/** `3:07`, `1:02:09`. */
export function stopwatch(ms: number, locale: string): string {
	const s = Math.max(0, Math.floor(ms / 1000));
	const two = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2, useGrouping: false });
	const one = new Intl.NumberFormat(locale, { useGrouping: false });
	const tail = `${two.format(Math.floor(s / 60) % 60)}:${two.format(s % 60)}`;
	return s < 3600
		? `${one.format(Math.floor(s / 60))}:${two.format(s % 60)}`
		: `${one.format(Math.floor(s / 3600))}:${tail}`;
}

/** Time left: like `stopwatch` below a day, then `29 days, 3 hr`. */
export function countdown(ms: number, locale: string): string {
	const hours = Math.floor(Math.max(0, ms) / 3_600_000);
	if (hours < 24) return stopwatch(ms, locale);
	const parts = [unit(Math.floor(hours / 24), 'day', locale, 0), unit(hours % 24, 'hour', locale, 0)];
	return new Intl.ListFormat(locale, { type: 'unit', style: 'short' }).format(parts);
}

/** `30 days`. */
export function days(count: number, locale: string): string {
	return new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(count);
}

/** Unix ms as a day and a time of day; "PM" never stands alone on the next line. */
export function dayAndTime(unixMs: number, locale: string): string {
	const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
	return format.format(unixMs).replace(/ (?=\p{L}+$)/u, '\u00a0');
}

/** `English → Spanish`, in the reading direction. */
export function fromTo(from: string, to: string, locale: string): string {
	return [from, to].map(isolate).join(isRightToLeft(locale) ? ' ← ' : ' → ');
}

/** Joins facts into one line; leaves out empty ones. */
export function factsOf(facts: readonly string[]): string {
	return facts.filter((fact) => fact !== '').join(' · ');
}

export function list(items: readonly string[], locale: string): string {
	return new Intl.ListFormat(locale, { type: 'conjunction' }).format(items);
}

/** `1.4 MB`. */
export function size(bytes: number, locale: string): string {
	if (bytes >= 1_000_000_000) return inUnit(bytes / 1_000_000_000, 'gigabyte', locale);
	if (bytes >= 1_000_000) return inUnit(bytes / 1_000_000, 'megabyte', locale);
	return inUnit(bytes / 1000, 'kilobyte', locale, 0);
}

/** `310 kB/s`. */
export function speed(bytesPerS: number, locale: string): string {
	if (bytesPerS >= 1_000_000) return inUnit(bytesPerS / 1_000_000, 'megabyte-per-second', locale);
	return inUnit(bytesPerS / 1000, 'kilobyte-per-second', locale, 0);
}

function inUnit(value: number, unit: string, locale: string, maximumFractionDigits = 1): string {
	return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits }).format(value);
}

function unit(
	value: number,
	name: 'second' | 'minute' | 'hour' | 'day',
	locale: string,
	digits: number,
): string {
	return new Intl.NumberFormat(locale, {
		style: 'unit',
		unit: name,
		unitDisplay: 'short',
		maximumFractionDigits: digits,
	}).format(value);
}
