import { err, ok, type Result } from '#shared/lib/result.ts';

/** Longest JSON text we read, UTF-16 units: 1 MiB. */
export const MAX_JSON_LENGTH = 1_048_576;
/** Deepest nesting we read. */
export const MAX_JSON_DEPTH = 32;
/**
 * Most lists and objects we read, and most fields in all of them together. An empty object takes two letters in
 * the message and 56 bytes in memory; a field with a new name takes six letters and two microseconds. A megabyte
 * of either costs 20 MB and 60 to 190 ms. The longest real answer, a page of sessions, has a thousand objects of
 * eight fields.
 */
export const MAX_JSON_CONTAINERS = 50_000;
export const MAX_JSON_FIELDS = 25_000;

export type JsonFault = 'too-large' | 'too-deep' | 'too-many' | 'not-json' | 'not-utf8';

/** An object from JSON. Read it with `field`, which ignores inherited properties. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own property, or `undefined`. `__proto__` and `constructor` have no special meaning. */
export function field(value: unknown, name: string): unknown {
	return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function textField(value: unknown, name: string): string | undefined {
	const found = field(value, name);
	return typeof found === 'string' ? found : undefined;
}

/** Reads JSON text within limits of size, depth and number. Takes linear time; never throws. */
export function parseJson(text: string): Result<unknown, JsonFault> {
	if (text.length > MAX_JSON_LENGTH) return err('too-large');
	const fault = tooMuchIn(text);
	if (fault) return err(fault);
	try {
		const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
		return ok<unknown>(/\d{16}/.test(json) ? JSON.parse(json, exactly) : JSON.parse(json));
	} catch {
		return err('not-json');
	}
}

/** Keeps a whole number that would be rounded as its source text: a rounded id would name something else. */
function exactly(_name: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown {
	const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d{16,}$/.test(source);
	return isRounded ? source : value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * Counts brackets and names outside strings, so that excessive depth or size costs only a scan, not a parse.
 */
function tooMuchIn(text: string): 'too-deep' | 'too-many' | null {
	let depth = 0;
	let containers = 0;
	let fields = 0;
	let quoted = false;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		if (quoted) {
			if (unit === BACKSLASH) at++;
			else if (unit === QUOTE) quoted = false;
		} else if (unit === QUOTE) quoted = true;
		else if (unit === 0x5b || unit === 0x7b) {
			containers++;
			if (++depth > MAX_JSON_DEPTH) return 'too-deep';
		} else if (unit === 0x5d || unit === 0x7d) depth--;
		else if (unit === COLON) fields++;
	}
	return containers > MAX_JSON_CONTAINERS || fields > MAX_JSON_FIELDS ? 'too-many' : null;
}

/** Strict UTF-8, or `null`. Our own code, because this folder also runs without `TextDecoder`. */
export function decodeUtf8(bytes: Uint8Array): string | null {
	let text = '';
	let units: number[] = [];
	for (let at = 0; at < bytes.length; ) {
		const lead = bytes[at] ?? 0;
		const length = sequenceLength(lead);
		if (length === 0 || at + length > bytes.length) return null;
		let point = length === 1 ? lead : lead & (0x7f >> length);
		for (let next = 1; next < length; next++) {
			const byte = bytes[at + next] ?? 0;
			if ((byte & 0xc0) !== 0x80) return null;
			point = (point << 6) | (byte & 0x3f);
		}
		if (isMisencoded(point, length)) return null;
		units.push(point);
		at += length;
		if (units.length >= 4096) {
			text += String.fromCodePoint(...units);
			units = [];
		}
	}
	return text + String.fromCodePoint(...units);
}

/** Rejects overlong forms, surrogates and code points beyond Unicode. */
function isMisencoded(point: number, length: number): boolean {
	if (length === 3) return point < 0x800 || (point >= 0xd800 && point <= 0xdfff);
	return length === 4 && (point < 0x10000 || point > 0x10ffff);
}

function sequenceLength(lead: number): number {
	if (lead < 0x80) return 1;
	if (lead >= 0xc2 && lead < 0xe0) return 2;
	if (lead >= 0xe0 && lead < 0xf0) return 3;
	return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/**
 * Decodes text of other programs: UTF-8, or UTF-16 (Excel's "Unicode Text", the pipes and files of PowerShell),
 * with or without a byte order mark. Null for other encodings, or if it has control characters that no text
 * contains.
 */
export function decodeText(bytes: Uint8Array): string | null {
	const [first, second] = bytes;
	if (first === 0xff && second === 0xfe) return printable(decodeUtf16(bytes.subarray(2), 0));
	if (first === 0xfe && second === 0xff) return printable(decodeUtf16(bytes.subarray(2), 1));
	const text = decodeUtf8(bytes);
	return printable(text === null || text.includes('\0') ? decodeUtf16Unmarked(bytes) : text);
}

/** UTF-16 without a byte order mark: in spaces, digits and line ends, the same byte of each unit is zero. */
function decodeUtf16Unmarked(bytes: Uint8Array): string | null {
	const zeros = [0, 0];
	for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
	const [even = 0, odd = 0] = zeros;
	if (odd > 4 * even) return decodeUtf16(bytes, 0);
	return even > 4 * odd ? decodeUtf16(bytes, 1) : null;
}

/** `low`: index of the low byte in each unit. Null if a character is incomplete. */
function decodeUtf16(bytes: Uint8Array, low: 0 | 1): string | null {
	if (bytes.length % 2 === 1) return null;
	const parts: string[] = [];
	for (let from = 0; from < bytes.length; from += 8192) {
		const units: number[] = [];
		for (let at = from; at < Math.min(from + 8192, bytes.length); at += 2)
			units.push((bytes[at + low] ?? 0) | ((bytes[at + 1 - low] ?? 0) << 8));
		parts.push(String.fromCharCode(...units));
	}
	const text = parts.join('');
	return text.isWellFormed() ? text : null;
}

/** Removes the byte order mark and DOS end mark. Other control characters mean binary data. */
function printable(text: string | null): string | null {
	const unmarked = text?.replace(/^\uFEFF/, '') ?? null;
	const plain = unmarked?.endsWith('\u001a') ? unmarked.slice(0, -1) : unmarked;
	return plain === null || /(?![\t-\r\u0080-\u009f])\p{Cc}/u.test(plain) ? null : plain;
}

/** One line of plain text: no tags, no control or direction characters, no lone surrogates, at most `max` units. */
export function plainText(text: string, max: number): string {
	const line = text
		// Shorten the input before the expressions run, so that their cost is bounded.
		.slice(0, max * 20)
		.replace(/<\/?[a-z!][^<>]*>/gi, ' ')
		.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu, ' ')
		.trim();
	return cut(line, max);
}

/** At most `max` UTF-16 units, well-formed, never ending in half a surrogate pair. */
export function cut(text: string, max: number): string {
	if (text.length <= max) return text.toWellFormed();
	const last = text.charCodeAt(max - 1);
	return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max).toWellFormed();
}
