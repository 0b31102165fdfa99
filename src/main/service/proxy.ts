import type { Agent } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import type { Clock } from '#shared/lib/clock.ts';
import { NOWHERE, type ProxyRoute } from '#shared/settings/proxy.ts';

/** Never reached through a proxy, whatever the environment variables are. */
const THIS_COMPUTER = ['localhost', '.localhost', '127.0.0.1', '127.0.0.0-127.255.255.255', '::1', '[::1]'];

interface ProxyVariables {
	readonly HTTPS_PROXY: string;
	readonly NO_PROXY: string;
}

/** In order of precedence; lower-case names win, as everywhere. */
const NAMES = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

/** Which variable names a proxy; undefined = none does. `HTTP_PROXY` does not count: unencrypted calls stay on loopback. */
function nameIn(env: NodeJS.ProcessEnv): (typeof NAMES)[number] | undefined {
	return NAMES.find((name) => (env[name] ?? '').trim() !== '');
}

/** The proxy that the environment names, as an address; `NOWHERE` for one that cannot be used, empty without one. */
export function namedProxy(env: NodeJS.ProcessEnv): string {
	const name = nameIn(env);
	return name === undefined ? '' : (addressOf((env[name] ?? '').trim()) ?? NOWHERE);
}

/** Reads the address as other programs do: `http:` by default, and odd characters in a login need no escaping. */
function addressOf(text: string): string | null {
	const [, scheme = 'http', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):)?\/\/(.*)$/is.exec(text) ?? [
		null,
		undefined,
		text,
	];
	if (!/^https?$/i.test(scheme)) return null;
	const at = rest.lastIndexOf('@');
	const login = rest
		.slice(0, at + 1)
		.replaceAll(/%(?![0-9a-f]{2})|[^\w.~%:!$&'()*+,;=@-]|@(?!$)/gi, encodeURIComponent);
	const address = `${scheme.toLowerCase()}://${login}${rest.slice(at + 1)}`;
	return URL.parse(address)?.hostname ? address : null;
}

/** Reads the variables, and adds this computer to `NO_PROXY`; null without a proxy. */
function readProxy(env: NodeJS.ProcessEnv): ProxyVariables | null {
	const proxy = namedProxy(env);
	const without = (env.no_proxy || env.NO_PROXY || '').split(/[\s,]+/).filter(Boolean);
	if (proxy === '' || without.includes('*')) return null;
	return { HTTPS_PROXY: proxy, NO_PROXY: [...without, ...THIS_COMPUTER].join(',') };
}

/** Makes `fetch` and `https` of this process use the environment's proxy. Returns a message or null. */
export function takeProxyOf(env: NodeJS.ProcessEnv): string | null {
	const proxy = readProxy(env);
	if (!proxy) return null;
	http.setGlobalProxyFromEnv({ ...proxy });
	// The message never repeats the value, which may contain a password.
	return proxy.HTTPS_PROXY === NOWHERE
		? `${nameIn(env)} names no http: or https: proxy, so nothing is sent to the service. Name another one, or unset it.`
		: null;
}

/**
 * For the sockets of `ws`, which bypass `fetch`: an agent for `wss:` addresses, on Node and in Electron's
 * main process alike; undefined without a proxy. The caller keeps the agent for the run.
 */
export function proxyAgentOf(env: NodeJS.ProcessEnv): Agent | undefined {
	const proxy = readProxy(env);
	if (!proxy) return undefined;
	return new https.Agent({ proxyEnv: { ...proxy }, rejectUnauthorized: true });
}

/** True if the environment decides about the proxy, even by naming none. */
export function namesProxy(env: NodeJS.ProcessEnv): boolean {
	return nameIn(env) !== undefined;
}

/** The agent for an address; undefined = directly. Never rejects. */
export type SocketAgents = (address: string) => Promise<Agent | undefined>;

/** Limit for asking the system: finding a PAC script may take long, and a socket has only 10 s in all. */
const SYSTEM_MS = 3000;

/**
 * The agent for a socket, or a call of our own, to that address: through the environment's proxy, else
 * through the system's; undefined = directly. Looked up for each connection, because a computer may change
 * its network. Passes the system only the origin: the rest of an address may hold the key. Never rejects.
 */
export function createSocketAgents(parts: {
	readonly env: NodeJS.ProcessEnv;
	readonly clock: Clock;
	/** The system's proxies for an address, as a PAC script lists them. Absent if the system cannot be asked. */
	readonly system?: (address: string) => Promise<string>;
	/** The route from the settings; absent = the system's. A proxy from the environment takes precedence. */
	readonly route?: () => ProxyRoute;
	/** Called once, before the first encrypted connection, because it may take a moment. */
	readonly prepare?: () => void;
}): SocketAgents {
	const { env, clock, system } = parts;
	let isPrepared = false;
	const ofVariables = proxyAgentOf(env);
	const ofSystem = new Map<string, Agent | undefined>();

	function ask(origin: string): Promise<string> {
		if (!system) return Promise.resolve('');
		return new Promise((done) => {
			const cancel = clock.after(SYSTEM_MS, () => done(''));
			const answer = (text: string) => {
				cancel();
				done(text);
			};
			system(origin).then(answer, () => answer(''));
		});
	}

	return async (address) => {
		const url = URL.parse(address);
		if (url?.protocol !== 'wss:' && url?.protocol !== 'https:') return undefined;
		if (!isPrepared) parts.prepare?.();
		isPrepared = true;
		if (namesProxy(env)) return ofVariables;
		const route = parts.route?.() ?? { by: 'system' };
		if (route.by === 'none') return undefined;
		const proxy = route.by === 'address' ? route.address : firstUsable(await ask(`https://${url.host}/`));
		if (proxy === null) return undefined;
		if (!ofSystem.has(proxy)) ofSystem.set(proxy, proxyAgentOf({ HTTPS_PROXY: proxy }));
		return ofSystem.get(proxy);
	};
}

const SCHEMES: Readonly<Record<string, string>> = { PROXY: 'http', HTTP: 'http', HTTPS: 'https' };

/** The first usable proxy as an address; null = directly. If only SOCKS is allowed, nothing is sent. */
function firstUsable(answer: string): string | null {
	let isTunnelled = false;
	for (const entry of answer.split(';')) {
		const [kind = '', place = ''] = entry.trim().split(/\s+/);
		if (kind.toUpperCase() === 'DIRECT') return null;
		isTunnelled ||= /^SOCKS\d?$/i.test(kind) && place !== '';
		const proxy = `${SCHEMES[kind.toUpperCase()] ?? 'none'}://${place}`;
		if (!proxy.startsWith('none:') && URL.parse(proxy)?.host) return proxy;
	}
	return isTunnelled ? NOWHERE : null;
}

/**
 * Makes Node's connections also trust the certificate authorities in the system's store, such as a company's:
 * by default Node trusts only those it was built with, while Chromium uses the system's. Keeps those trusted
 * before. Takes a fifth of a second. False if the system's store cannot be read.
 */
export function trustSystem(): boolean {
	try {
		tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...tls.getCACertificates('system')]);
		return true;
	} catch {
		return false;
	}
}
