import { randomBytes } from 'node:crypto';

/** LiveKit's ids: a prefix that tells the kind, and 12 characters. Clients look at the prefixes `PA` and `TR`. */
export function newSid(prefix: 'RM' | 'PA' | 'TR'): string {
	return `${prefix}_${randomBytes(9).toString('base64url').replaceAll('-', 'x').replaceAll('_', 'y')}`;
}
