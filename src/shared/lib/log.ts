import { encodeBase64 } from '#shared/lib/base64.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/**
 * `info`: a change that a person would recognise. `warn`: a fault we recovered from. `error`: a problem shown to
 * the user. Never log speech, keys, tokens or session ids.
 */
export interface Logger {
	error(message: string, facts?: Record<string, unknown>): void;
	warn(message: string, facts?: Record<string, unknown>): void;
	info(message: string, facts?: Record<string, unknown>): void;
	debug(message: string, facts?: Record<string, unknown>): void;
}

const SECRETS: readonly (readonly [RegExp, string])[] = [
	[/\b(Bearer\s+)[^\s"',;]+/gi, '$1[redacted]'],
	[/\beyJ[\w-]+(?:\.[\w-]+){0,2}/g, '[jwt]'],
	[/\bplbr_\w+/g, '[key]'],
	[/([?&](?:access_token|token|key|signature|x-amz-[\w-]+)=)[^&\s"']+/gi, '$1[redacted]'],
];

/** Secrets long enough not to occur by chance in an ordinary text. */
export function longSecrets(secrets: readonly string[]): readonly string[] {
	return secrets.filter(({ length }) => length >= 12);
}

/** Shorter secrets would match in ordinary texts and hide them. */
const LEAST_SECRET = 4;
/** The same limit for the piece of a secret that is constant at every position in base64. */
const LEAST_BASE64 = 8;

/** Removes these secrets from plain data, in any form: address, JSON, HTML, hexadecimal, base64. */
export function redactKnown<Value>(value: Value, secrets: readonly string[]): Value {
	const pattern = patternOf(secrets);
	return pattern ? (redacted(value, pattern) as Value) : value;
}

function redacted(value: unknown, pattern: RegExp): unknown {
	if (typeof value === 'string') return value.replace(pattern, '[redacted]');
	if (Array.isArray(value)) return value.map((one) => redacted(one, pattern));
	if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, one]) => [name.replace(pattern, '[redacted]'), redacted(one, pattern)]),
	);
}

function patternOf(secrets: readonly string[]): RegExp | null {
	const forms = secrets.filter(({ length }) => length >= LEAST_SECRET).flatMap(formsOf);
	if (forms.length === 0) return null;
	// Longest first, because one form may be the beginning of another.
	const parts = [...new Set(forms)].sort((one, other) => other.length - one.length);
	return new RegExp(parts.map((form) => form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'gi');
}

function formsOf(secret: string): readonly string[] {
	const inAddress = encodeURIComponent(secret.toWellFormed());
	const bytes = bytesOf(inAddress);
	const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'));
	return [
		secret,
		inAddress,
		`%${digits.join('%')}`,
		digits.join(''),
		JSON.stringify(secret).slice(1, -1),
		secret.replaceAll('/', '\\/'),
		secret
			.replaceAll('&', '&amp;')
			.replaceAll('<', '&lt;')
			.replaceAll('"', '&quot;')
			.replaceAll("'", '&#39;'),
		...inBase64(bytes),
	];
}

/** UTF-8 decoded from URL encoding, because not all our environments have another encoder. */
function bytesOf(inAddress: string): Uint8Array {
	const pieces = inAddress.match(/%..|./g) ?? [];
	return Uint8Array.from(pieces, (one) =>
		one.length === 3 ? Number.parseInt(one.slice(1), 16) : one.charCodeAt(0),
	);
}

/** What precedes shifts base64 by up to two bytes; first and last characters depend on neighbours. */
function inBase64(bytes: Uint8Array): readonly string[] {
	const cores = [0, 1, 2].map((shift) => {
		const text = encodeBase64(new Uint8Array([...new Uint8Array(shift), ...bytes])).replace(/=+$/, '');
		return text.slice(shift === 0 ? 0 : 4, (shift + bytes.length) % 3 === 0 ? text.length : -1);
	});
	return [encodeBase64(bytes), ...cores]
		.filter(({ length }) => length >= LEAST_BASE64)
		.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** Text without secrets: bearer tokens, JWTs, keys, secret query values. */
export function redact(text: string, secrets: readonly string[] = []): string {
	let clean = redactKnown(text, secrets);
	for (const [pattern, put] of SECRETS) clean = clean.replace(pattern, put);
	return clean;
}

export const silentLogger: Logger = { error() {}, warn() {}, info() {}, debug() {} };
