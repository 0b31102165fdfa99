import { cut } from './json.ts';

const MAX_ID_LENGTH = 128;

/**
 * An identifier as sent, if it is safe: short, printable, without the `|` that joins our keys, and not a name every
 * object inherits. Anything else that is not empty becomes a hash of itself, so that the same wire id always gives the
 * same one. `null` = there was none.
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

/**
 * Whether it can go into a path once encoded: dot segments would climb out of it in any spelling, and half a surrogate
 * pair has no encoding.
 */
export function isPathId(id: string): boolean {
	return id !== '' && id.length <= 4096 && id.isWellFormed() && !/^\.{1,2}$/.test(id);
}

/** 64 bits of FNV-1a as two 32-bit halves: to tell texts apart, not to protect anything. */
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
