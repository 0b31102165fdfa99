import { randomBytes } from 'node:crypto';
import { release, type as systemName } from 'node:os';
import type { Account } from '#main/account/account.ts';
import { createDiagnosis, type Diagnosis } from '#main/diagnosis/diagnosis.ts';
import { createDoctor, environmentProxy, roomOf } from '#main/doctor.ts';
import { checkMediaAddress } from '#main/service/addresses.ts';
import { namesProxy, type SocketAgents } from '#main/service/proxy.ts';
import type { SessionClient } from '#main/service/session-client.ts';
import type { Ledger } from '#main/sessions/ledger.ts';
import type { SessionKeeper } from '#main/sessions/session-keeper.ts';
import { createSockets } from '#main/streaming/socket.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { socketOf } from './socket-address.ts';

/** The doctor of the app: the same checks as the command line's, with the account and the keeper of the window. */
export function createAppDiagnosis(parts: {
	readonly account: Account;
	readonly clock: Clock;
	readonly log: Logger;
	readonly env: NodeJS.ProcessEnv;
	readonly folder: string;
	/** Of the program. */
	readonly version: string;
	readonly fetch: typeof globalThis.fetch;
	readonly agent: SocketAgents;
	readonly allowedHosts: () => readonly string[];
	readonly settingsProblem: () => Problem | null;
	readonly ledger: Ledger;
	readonly keeper: Pick<SessionKeeper, 'open' | 'close'>;
	readonly client: Pick<SessionClient, 'checkKey'>;
	/** A conversation runs, or the program ends. */
	readonly busy: () => boolean;
	/** As Electron says it: `PROXY host:port; DIRECT`. */
	readonly resolveProxy: (address: string) => Promise<string>;
}): Diagnosis {
	const { account, clock, log, keeper, client, agent } = parts;
	const { chrome = 'outside', electron } = process.versions;
	const sockets = createSockets({
		clock,
		log,
		key: account.key,
		checkAddress: (url) => checkMediaAddress(url, account.baseUrl(), parts.allowedHosts()),
		randomHash: () => randomBytes(16).toString('hex'),
		agent,
	});
	const checks = createDoctor({
		clock,
		sockets,
		fetch: parts.fetch,
		folder: parts.folder,
		settingsProblem: parts.settingsProblem,
		ledger: parts.ledger,
		busy: parts.busy,
		base: account.baseUrl,
		address: (product) => socketOf(account, product),
		versions: () => ({
			app: parts.version,
			shell: `${electron ? `Electron ${electron}` : 'stand-in'}, Chromium ${chrome}`,
			node: process.versions.node,
			system: `${systemName()} ${release()}`,
		}),
		key() {
			const { key, service } = account.status();
			const host = URL.parse(account.baseUrl())?.host ?? '';
			if (account.key() !== null) return ok({ source: service === 'sandbox' ? service : key.source, host });
			return err(key.elsewhere ? { kind: 'key-elsewhere', host } : { kind: 'api-key-missing' });
		},
		async checkKey(signal) {
			const ready = await account.ready();
			return ready.ok ? client.checkKey(signal) : ready;
		},
		room: {
			async open() {
				const opened = await keeper.open();
				if (!opened.ok) return opened;
				const { handle } = opened.value;
				// The keeper retries by itself what cannot be deleted now.
				return ok(roomOf(opened.value, { clock, agent }, async () => ok(await keeper.close(handle))));
			},
		},
		async proxyOf(address) {
			if (namesProxy(parts.env)) return environmentProxy(parts.env, address);
			if (!address.startsWith('https:')) return '';
			const answer = await parts.resolveProxy(new URL(address).origin).catch(() => '');
			const [kind = '', place = ''] = (answer.split(';')[0] ?? '').trim().split(/\s+/);
			if (kind === '' || kind === 'DIRECT') return '';
			// A tunnel through SOCKS is not built for sockets.
			return kind.startsWith('SOCKS') ? 'unusable' : place;
		},
		soundEnv: process.platform === 'linux' ? process.env : null,
	});
	return createDiagnosis({ checks, clock });
}
