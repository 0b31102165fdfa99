import { createHash } from 'node:crypto';

/**
 * The Content-Security-Policy of the window. Room addresses come with each session and may be on any
 * host, so connections are open to encrypted ones; unencrypted loopback only while a local service may
 * be in use. `allowedHosts` (comma list, `*.name` allowed) narrows both.
 */
export function contentPolicy(options: {
	readonly loopback: boolean;
	readonly allowedHosts: string;
	/** Hashes of the page's `<style>` elements, from `styleHashes`. */
	readonly styles?: readonly string[];
}): string {
	const hosts = options.allowedHosts
		.split(',')
		.map((host) => host.trim().toLowerCase())
		// An invalid host could smuggle a directive into the header.
		.filter((host) => /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host));
	const encrypted =
		hosts.length > 0 ? hosts.flatMap((host) => [`https://${host}`, `wss://${host}`]) : ['https:', 'wss:'];
	const local = ['127.0.0.1', 'localhost'].flatMap((host) => [`http://${host}:*`, `ws://${host}:*`]);
	return [
		"default-src 'none'",
		"script-src 'self'",
		["style-src 'self'", ...(options.styles ?? [])].join(' '),
		"img-src 'self' data:",
		"font-src 'self'",
		"media-src 'self' blob: mediastream:",
		"worker-src 'self'",
		`connect-src ${["'self'", ...encrypted, ...(options.loopback ? local : [])].join(' ')}`,
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
		"object-src 'none'",
		"require-trusted-types-for 'script'",
		// Neither our code nor our libraries create a policy, so none is allowed: each would be a way round the line above.
		"trusted-types 'none'",
	].join('; ');
}

/** Hashes by which the policy admits the `<style>` elements of our page; any other is refused. */
export function styleHashes(html: string): readonly string[] {
	return [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(
		([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
	);
}
