import http, { type Agent } from 'node:http';
import https from 'node:https';

/** Never reached through a proxy, whatever the environment says. */
const THIS_COMPUTER = ['localhost', '.localhost', '127.0.0.1', '127.0.0.0-127.255.255.255', '::1', '[::1]'];

interface ProxyVariables {
	readonly HTTPS_PROXY: string;
	readonly NO_PROXY: string;
}

/**
 * `HTTPS_PROXY` and `NO_PROXY` (lower-case names win, as everywhere), with this computer added to the
 * latter; null without a proxy. `HTTP_PROXY` does not count: unencrypted calls stay on loopback.
 */
function readProxy(env: NodeJS.ProcessEnv): ProxyVariables | null {
	const proxy = env.https_proxy || env.HTTPS_PROXY;
	const without = (env.no_proxy || env.NO_PROXY || '').split(/[\s,]+/).filter(Boolean);
	if (!proxy || without.includes('*')) return null;
	return { HTTPS_PROXY: proxy, NO_PROXY: [...without, ...THIS_COMPUTER].join(',') };
}

/** The sentence for a value that names no proxy; it never repeats the value, which may hold a password. */
const NOT_USABLE = 'HTTPS_PROXY names no http: or https: address and is not used.';

function isUsable(proxy: ProxyVariables): boolean {
	const protocol = URL.parse(proxy.HTTPS_PROXY)?.protocol;
	return protocol === 'http:' || protocol === 'https:';
}

/**
 * From now on `fetch` and `https` of this process go through the environment's proxy. Call once, at the
 * start of a Node program; Electron's own stack asks the system instead. Returns null, or what to tell the user.
 */
export function takeProxyOf(env: NodeJS.ProcessEnv): string | null {
	const proxy = readProxy(env);
	if (!proxy) return null;
	if (!isUsable(proxy)) return NOT_USABLE;
	http.setGlobalProxyFromEnv({ ...proxy });
	return null;
}

/**
 * For the sockets of `ws`, which bypass `fetch`: an agent for `wss:` addresses, on Node and in
 * Electron's main process alike; undefined without a proxy. The caller keeps it for the run.
 */
export function proxyAgentOf(env: NodeJS.ProcessEnv): Agent | undefined {
	const proxy = readProxy(env);
	if (!proxy || !isUsable(proxy)) return undefined;
	return new https.Agent({ proxyEnv: { ...proxy }, rejectUnauthorized: true });
}

/** Does the environment decide about the proxy, even by saying that there is none? */
export function namesProxy(env: NodeJS.ProcessEnv): boolean {
	return Boolean(env.https_proxy || env.HTTPS_PROXY);
}
