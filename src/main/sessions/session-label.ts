import { createHash } from 'node:crypto';

/** First characters of a hash of a session's id, for people and logs to tell sessions apart. */
export function sessionLabel(id: string): string {
	return createHash('sha256').update(id).digest('hex').slice(0, 8);
}
