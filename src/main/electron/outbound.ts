import { session } from 'electron';
import { createAppProxy } from '#main/app/app-proxy.ts';
import { createSocketAgents, type SocketAgents } from '#main/service/proxy.ts';
import { trustSystem } from '#main/service/system-trust.ts';
import type { SettingsStore } from '#main/settings/settings.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';

/** How the main process reaches the world, through the chosen proxy. */
export interface Outbound {
	/** Chromium's, which asks the system for proxies and certificates. */
	readonly fetch: typeof globalThis.fetch;
	/** Sockets and uploads are Node's: this gives them the system's proxies and certificate authorities. */
	readonly agent: SocketAgents;
	/** As a PAC script answers. */
	resolveProxy(address: string): Promise<string>;
}

/** With `redirect: 'manual'` Electron gives no answer for a redirect, but this error (electron 43715). */
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
	// Apart from the window's session, whose requests are guarded and whose cookies and cache are the page's.
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
