/** Name of the public service; services at other addresses are called by their host. */
export const PUBLIC_NAME = 'Palabra';
/** Where it explains how to get an account and a key. */
export const SERVICE_SITE = 'https://docs.palabra.ai';

/** Whether a REST base is the public service's; empty = not set, so it is. */
export function isPublicService(apiUrl: string): boolean {
	const host = /^https:\/\/([^/?#:@]+)/.exec(apiUrl)?.[1] ?? '';
	return apiUrl === '' || host === 'palabra.ai' || host.endsWith('.palabra.ai');
}
