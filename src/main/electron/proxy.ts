import { session } from 'electron';
import { createSocketAgents, namesProxy, type SocketAgents, trustSystem } from '#main/service/proxy.ts';
import type { SettingsStore } from '#main/settings/settings.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { type ProxyRoute, type ProxySettings, proxyRouteOf } from '#shared/settings/proxy.ts';

/** As Electron's `ProxyConfig`. */
interface ProxyConfig {
	readonly mode: 'system' | 'direct' | 'fixed_servers';
	readonly proxyRules?: string;
	readonly proxyBypassRules?: string;
}

/** The part of Electron's `Session` that is used. */
export interface ProxiedSession {
	setProxy(config: ProxyConfig): Promise<void>;
	/** Without this, open connections stay on the old route. */
	closeAllConnections(): Promise<void>;
}

/** Applies the setting to Electron's sessions. A proxy from the environment has precedence. */
export function createAppProxy(sessions: readonly ProxiedSession[], env: NodeJS.ProcessEnv, log: Logger) {
	let now: ProxyRoute = { by: 'system' };
	/** False if the last change could not be applied; it is tried again when the settings are next followed. */
	let isApplied = true;
	let turn: Promise<void> = Promise.resolve();

	async function apply(route: ProxyRoute): Promise<void> {
		const each = sessions.map(async (one) => {
			await one.setProxy(configOf(route));
			await one.closeAllConnections();
		});
		for (const done of await Promise.allSettled(each)) if (done.status === 'rejected') throw done.reason;
		isApplied = true;
		log.info('proxy', { by: route.by });
	}

	return {
		route: (): ProxyRoute => now,
		/** Applies settings that may have changed. Resolves when the sessions use them. */
		follow(settings: ProxySettings): Promise<void> {
			const route = namesProxy(env) ? ({ by: 'system' } as const) : proxyRouteOf(settings);
			if (isApplied && JSON.stringify(route) === JSON.stringify(now)) return turn;
			now = route;
			isApplied = true;
			turn = turn
				.then(() => apply(route))
				.catch((failure) => {
					isApplied = false;
					log.error('proxy', { failure: String(failure) });
				});
			return turn;
		},
	};
}

function configOf(route: ProxyRoute): ProxyConfig {
	if (route.by === 'system') return { mode: 'system' };
	if (route.by === 'none') return { mode: 'direct' };
	// Addresses on this computer never use the proxy; Chromium bypasses loopback by default.
	return { mode: 'fixed_servers', proxyRules: route.address, proxyBypassRules: '<local>' };
}

/** How the main process reaches the world, through the chosen proxy. */
export interface Outbound {
	/** Chromium's `fetch`, which asks the system for proxies and certificates. */
	readonly fetch: typeof globalThis.fetch;
	/** Sockets and uploads use Node: this gives them the system's proxies and certificate authorities. */
	readonly agent: SocketAgents;
	/** Answers in the format of a PAC script. */
	resolveProxy(address: string): Promise<string>;
}

/** With `redirect: 'manual'` Electron does not return a redirect, but throws this error (electron 43715). */
function asRedirect(failure: unknown): Response {
	if (failure instanceof Error && failure.message === 'Redirect was cancelled')
		return new Response(null, { status: 302 });
	throw failure;
}

export function createOutbound({
	settings,
	env,
	clock,
	log,
}: {
	readonly settings: Pick<SettingsStore, 'values' | 'listen'>;
	readonly env: NodeJS.ProcessEnv;
	readonly clock: Clock;
	readonly log: Logger;
}): Outbound {
	// Apart from the window's session, which is guarded and holds the page's cookies and cache.
	const outgoing = session.fromPartition('service');
	const proxy = createAppProxy([outgoing, session.defaultSession], env, log);
	const follow = () => void proxy.follow(settings.values());
	settings.listen(follow);
	follow();
	const resolveProxy = (address: string) => outgoing.resolveProxy(address);
	return {
		fetch: async (input, init) =>
			outgoing.fetch(input instanceof URL ? input.href : input, init).catch(asRedirect),
		agent: createSocketAgents({
			env,
			clock,
			system: resolveProxy,
			route: proxy.route,
			prepare: () => void (trustSystem() || log.warn('system certificates not read')),
		}),
		resolveProxy,
	};
}
