export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/**
 * `info`: a change of state a person would recognise. `warn`: something we recovered from.
 * `error`: what the user was shown. Never speech content, keys, tokens or session ids.
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

/** Text without anything that opens a door: bearer values, JWTs, keys, secret query values. */
export function redact(text: string, secrets: readonly string[] = []): string {
	let clean = text;
	for (const secret of secrets) {
		if (secret.length < 4) continue;
		// As it is, as it stands in an address, and as it stands in JSON.
		for (const form of [
			secret,
			encodeURIComponent(secret.toWellFormed()),
			JSON.stringify(secret).slice(1, -1),
		])
			clean = clean.replaceAll(form, '[redacted]');
	}
	for (const [pattern, put] of SECRETS) clean = clean.replace(pattern, put);
	return clean;
}

export const silentLogger: Logger = { error() {}, warn() {}, info() {}, debug() {} };
