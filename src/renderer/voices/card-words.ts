import type { TFunction } from 'i18next';
import { seconds } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { AUTO } from '#shared/protocol/languages.ts';

/** The interface's words for each label; the service gets the value as it is. */
export const LABELS = {
	gender: ['female', 'male', 'neutral'],
	ageGroup: ['child', 'young', 'middle-aged', 'old'],
	mood: ['neutral', 'calm', 'cheerful', 'serious', 'energetic'],
} as const;

/** `1.4 MB`. */
export function size(bytes: number, locale: string): string {
	const mega = bytes >= 1_000_000;
	return new Intl.NumberFormat(locale, {
		style: 'unit',
		unit: mega ? 'megabyte' : 'kilobyte',
		maximumFractionDigits: mega ? 1 : 0,
	}).format(bytes / (mega ? 1_000_000 : 1000));
}

/** `310 kB/s`. */
export function speed(bytesPerS: number, locale: string): string {
	const mega = bytesPerS >= 1_000_000;
	return new Intl.NumberFormat(locale, {
		style: 'unit',
		unit: mega ? 'megabyte-per-second' : 'kilobyte-per-second',
		maximumFractionDigits: mega ? 1 : 0,
	}).format(bytesPerS / (mega ? 1_000_000 : 1000));
}

export function languageWords(code: string, t: TFunction, locale: string): string {
	return code === AUTO ? t('voices.languageAuto') : languageLabel(code, locale);
}

/** Name, size and length of a sample in one line. */
export function sampleWords(
	sample: { readonly name: string; readonly bytes: number; readonly durationMs: number | null },
	locale: string,
): string {
	const length = sample.durationMs === null ? [] : [isolate(seconds(sample.durationMs, locale))];
	return [isolate(sample.name), isolate(size(sample.bytes, locale)), ...length].join(' · ');
}

/** Its status in words. */
export function statusWords(entry: VoiceEntry, t: TFunction): string {
	if (entry.status === 'created' && !entry.active) return t('voices.status.unsent');
	if (entry.status === 'uploading' && !entry.active) return t('voices.status.unsent');
	return t(`voices.status.${entry.status}`);
}
