import { redactKnown } from '#shared/lib/log.ts';
import { parseJson } from './json.ts';

/**
 * Redacts a service's answer before any of it is read, cut or shown, because it may echo what it was sent. JSON is
 * parsed first, since it can escape every letter; other text is taken as it is. Never throws.
 */
export function withoutSecrets(body: string, secrets: readonly string[]): string {
	const json = parseJson(body);
	return json.ok ? JSON.stringify(redactKnown(json.value, secrets)) : redactKnown(body, secrets);
}
