import type { Agent } from 'node:http';
import type { Clock } from '#shared/lib/clock.ts';
import { NOWHERE, type ProxyRoute } from '#shared/settings/proxy.ts';
import { namesProxy, proxyAgentOf } from './proxy.ts';

/** The agent for an address; undefined = directly. Never rejects. */
export type SocketAgents = (address: string) => Promise<Agent | undefined>;

/** Looking for a PAC script on a bad network takes long, and a socket has 10 s in all. */
const SYSTEM_MS = 3000;

/**
 * The agent for a socket, or a call of our own, to that address: through the environment's proxy, else through the one the
 * system has for it; undefined = directly. Looked up anew for each connection, since a computer may change its
 * network. The system is given the origin only: the rest of an address may hold the key. Never rejects.
 */
export function createSocketAgents(parts: {
	readonly env: NodeJS.ProcessEnv;
	readonly clock: Clock;
	/**
	 * The system's proxies for an address, in its order, as a PAC script answers: `PROXY a:1; DIRECT`.
	 * Absent where there is nothing to ask.
	 */
	readonly system?: (address: string) => Promise<string>;
	/** The route from the settings; absent = the system's. A proxy from the environment takes precedence. */
	readonly route?: () => ProxyRoute;
	/** Called once, before the first encrypted connection: it may take a moment. */
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

/**
 * The first usable proxy as an address; null = directly. Tunnels through SOCKS are not supported here: where nothing else
 * is allowed, nothing is sent.
 */
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
