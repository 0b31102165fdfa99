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
