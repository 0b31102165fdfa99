/** Which proxy connections use; `address` only applies with a valid address. */
export interface ProxySettings {
	readonly proxy: 'system' | 'none' | 'address';
	readonly proxyAddress: string;
}

/** Why an address cannot be used; texts in `proxy.refused`. */
export type ProxyRefusal = 'unreadable' | 'scheme' | 'password';

/**
 * The address in one form, `http://host:port`, or why it cannot be used. Without a scheme it is `http:`. A name
 * and password are refused, because settings are stored and shown in plain text; the variable `HTTPS_PROXY` may
 * contain them.
 */
export function readProxyAddress(
	text: string,
): { readonly address: string } | { readonly refused: ProxyRefusal } {
	const [, scheme = 'http', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(text.trim()) ?? [];
	if (!/^https?$/i.test(scheme)) return { refused: 'scheme' };
	if (rest.includes('@')) return { refused: 'password' };
	const found = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(\d{1,5}))?\/?$/i.exec(rest);
	const [, host = '', port = scheme.toLowerCase() === 'https' ? '443' : '80'] = found ?? [];
	if (!found || Number(port) < 1 || Number(port) > 65_535) return { refused: 'unreadable' };
	return { address: `${scheme.toLowerCase()}://${host.toLowerCase()}:${Number(port)}` };
}

/** Replaces an unusable proxy, so that no request bypasses it: nothing listens on this local port. */
export const NOWHERE = 'http://127.0.0.1:1';

/** The route in use: also `system` if `address` was chosen and none entered. */
export type ProxyRoute =
	| { readonly by: 'system' }
	| { readonly by: 'none' }
	| { readonly by: 'address'; readonly address: string };

export function proxyRouteOf({ proxy, proxyAddress }: ProxySettings): ProxyRoute {
	if (proxy !== 'address') return { by: proxy };
	const read = readProxyAddress(proxyAddress);
	if (proxyAddress.trim() === '') return { by: 'system' };
	return { by: 'address', address: 'address' in read ? read.address : NOWHERE };
}
