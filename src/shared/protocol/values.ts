import { cut } from './json.ts';

const MAX_ID_LENGTH = 128;

/**
 * Returns an identifier unchanged if it is safe: short, printable, without the `|` that joins our keys, and not
 * the name of an inherited property. Any other non-empty identifier becomes its hash, so that the same id always
 * gives the same result. `null` = there was none.
 */
export function normaliseId(value: unknown): string | null {
	if (typeof value === 'number' || typeof value === 'bigint') return numberId(value);
	if (typeof value !== 'string' || value.trim() === '') return null;
	return isPlainId(value) ? value : `~${hashOf(value)}`;
}

function numberId(value: number | bigint): string | null {
	return typeof value === 'bigint' || Number.isFinite(value) ? cut(String(value), MAX_ID_LENGTH) : null;
}

function isPlainId(id: string): boolean {
	if (id.length > MAX_ID_LENGTH || !id.isWellFormed() || id in Object.prototype) return false;
	return id !== 'prototype' && /^[^\p{Cc}\s|~]+$/u.test(id);
}

/** Whether the id fits into a path: dot segments would change it, half a surrogate pair has no encoding. */
export function isPathId(id: string): boolean {
	return id !== '' && id.length <= 4096 && id.isWellFormed() && !/^\.{1,2}$/.test(id);
}

/** 64 bits of FNV-1a as two 32-bit halves: to distinguish texts, not to protect anything. */
export function hashOf(text: string): string {
	let low = 0x811c9dc5;
	let high = 0xcbf29ce4;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		low = Math.imul(low ^ unit, 0x01000193);
		high = Math.imul(high ^ (unit + at), 0x01000193);
	}
	return hex(high) + hex(low);
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');

const ISO =
	/^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9})\d*)?)?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DAY_MS = 86_400_000;

/**
 * Unix ms of an ISO 8601 time, UTC unless it has a zone (protocol 3.2), or `null` for other text. Parsed by our
 * own code, because engines read a time without a zone as local.
 */
export function readTimestamp(iso: unknown): number | null {
	const parts = typeof iso === 'string' && iso.length < 64 ? ISO.exec(iso.trim()) : null;
	if (parts === null) return null;
	const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
		.slice(1, 7)
		.map((digits) => Number(digits ?? 0));
	if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
	// 60 is a leap second; 24:00 does not occur in time stamps.
	if (hour > 23 || minute > 59 || second > 60) return null;
	const fraction = Math.trunc(Number(`0.${parts[7] ?? 0}`) * 1000);
	const clock = ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
	return daysSinceEpoch(year, month, day) * DAY_MS + clock - offsetMs(parts[8]);
}

function offsetMs(zone: string | undefined): number {
	if (zone === undefined || zone.toUpperCase() === 'Z') return 0;
	const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0);
	return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

function daysIn(year: number, month: number): number {
	return (DAYS_IN_MONTH[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0);
}

/** Proleptic Gregorian days since 1970-01-01, counting years from March. */
function daysSinceEpoch(year: number, month: number, day: number): number {
	const shifted = month > 2 ? year : year - 1;
	const era = Math.floor(shifted / 400);
	const yearOfEra = shifted - era * 400;
	const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
	const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
	return era * 146_097 + dayOfEra - 719_468;
}
