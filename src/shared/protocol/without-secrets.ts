import { redactKnown } from '#shared/lib/log.ts';
import { parseJson } from './json.ts';

/**
 * What a service said, before any of it is read, cut or shown: it may repeat what it was sent. JSON is taken
 * apart first, for it can write every letter in another way; other text as it is. Never throws.
 */
export function withoutSecrets(body: string, secrets: readonly string[]): string {
	const json = parseJson(body);
	return json.ok ? JSON.stringify(redactKnown(json.value, secrets)) : redactKnown(body, secrets);
}
