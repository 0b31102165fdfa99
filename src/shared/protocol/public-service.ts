/** The public service, as it is called; what other addresses lead to is called by its host. */
export const PUBLIC_NAME = 'Palabra';
/** Where it says how to come by an account and a key. */
export const SERVICE_SITE = 'https://docs.palabra.ai';

/** Whether a REST base is the public service's; empty = none was named, so it is. */
export function isPublicService(apiUrl: string): boolean {
	const host = /^https:\/\/([^/?#:@]+)/.exec(apiUrl)?.[1] ?? '';
	return apiUrl === '' || host === 'palabra.ai' || host.endsWith('.palabra.ai');
}
