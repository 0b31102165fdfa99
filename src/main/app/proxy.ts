import { namesProxy } from '#main/service/proxy.ts';
import type { Logger } from '#shared/lib/log.ts';
import { type ProxyWay, type ProxyWish, proxyWay } from '#shared/settings/proxy.ts';

/** As Electron's `ProxyConfig`. */
interface ProxyConfig {
	readonly mode: 'system' | 'direct' | 'fixed_servers';
	readonly proxyRules?: string;
	readonly proxyBypassRules?: string;
}

/** The part of Electron's `Session` that is used. */
export interface ProxiedSession {
	setProxy(config: ProxyConfig): Promise<void>;
	/** Or what stands goes on the old way. */
	closeAllConnections(): Promise<void>;
}

export interface AppProxy {
	/** For sockets of Node: the way that is in force now. */
	way(): ProxyWay;
	/** The wish may have changed. Resolves when the sessions follow it. */
	follow(wish: ProxyWish): Promise<void>;
}

/**
 * Carries the setting to Electron's sessions: the calls of main, and the window with its media. A proxy of the
 * environment goes before the setting, as variables do everywhere.
 */
export function createAppProxy(
	sessions: readonly ProxiedSession[],
	env: NodeJS.ProcessEnv,
	log: Logger,
): AppProxy {
	let now: ProxyWay = { by: 'system' };
	let turn: Promise<void> = Promise.resolve();

	async function apply(way: ProxyWay): Promise<void> {
		for (const one of sessions) {
			await one.setProxy(configOf(way));
			await one.closeAllConnections();
		}
		log.info('proxy', { by: way.by });
	}

	return {
		way: () => now,
		follow(wish) {
			const way = namesProxy(env) ? ({ by: 'system' } as const) : proxyWay(wish);
			if (JSON.stringify(way) === JSON.stringify(now)) return turn;
			now = way;
			turn = turn.then(() => apply(way)).catch((failure) => log.error('proxy', { failure: String(failure) }));
			return turn;
		},
	};
}

function configOf(way: ProxyWay): ProxyConfig {
	if (way.by === 'system') return { mode: 'system' };
	if (way.by === 'none') return { mode: 'direct' };
	// This computer is never reached through it; Chromium leaves out loopback by itself.
	return { mode: 'fixed_servers', proxyRules: way.address, proxyBypassRules: '<local>' };
}
