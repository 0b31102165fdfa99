import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { checkMediaAddress, PUBLIC_REST_BASE, parseAllowedHosts } from '#main/service/addresses.ts';
import { createSocketAgents } from '#main/service/socket-agents.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { settingsInForce } from '#main/settings/sources.ts';
import { userDataFolder } from '#main/settings/user-data.ts';
import { type Product, socketAddress } from '#main/streaming/addresses.ts';
import { createSockets, type Sockets } from '#main/streaming/socket.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { type Logger, silentLogger } from '#shared/lib/log.ts';
import { err, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { commonHelp, commonOptions, createStandardErrorLog, type Terminal } from './context.ts';
import { keyRefusal } from './key-binding.ts';

/** Options of the commands that stream. */
export const streamOptions = {
	...commonOptions,
	out: { type: 'string', short: 'o' },
	's2s-url': { type: 'string' },
	'stt-url': { type: 'string' },
	'tts-url': { type: 'string' },
} as const;

export type StreamValues = { readonly [name: string]: string | boolean | undefined };

export const streamHelp = `${commonHelp}
Addresses of the sockets: --s2s-url, --stt-url, --tts-url (DRAGOMAN_S2S_URL, DRAGOMAN_STT_URL,
  DRAGOMAN_TTS_URL). With an --api-url of your own they must be named, else they are off.`;

/** What a streaming command works with: everything an engine needs, and where the socket is. */
export interface StreamContext {
	readonly sockets: Sockets;
	readonly address: (product: Product) => () => Result<string, Problem>;
	readonly clock: Clock;
	readonly log: Logger;
	readonly random: () => number;
}

export async function createStreamContext(values: StreamValues, terminal: Terminal): Promise<StreamContext> {
	const { env } = terminal;
	const clock = createSystemClock();
	const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
	const folder = userDataFolder({ platform: process.platform, home: homedir(), env }, text('user-data-dir'));
	const names = ['api-url', 's2s-url', 'stt-url', 'tts-url', 'log-level'];
	const given = names.flatMap((name) => (text(name) ? [[name, text(name) ?? ''] as const] : []));
	const settings = settingsInForce(Object.fromEntries(given), env, openSettingsFile(folder, clock).stored());
	const { apiUrl, s2sUrl, sttUrl, ttsUrl, allowedHosts, logLevel } = settings.values;
	const key = (values['key-stdin'] ? await terminal.readInput() : (env.DRAGOMAN_API_KEY ?? '')).trim();
	const origin = settings.origins.logLevel;
	const isLogWanted = origin === 'option' || origin === 'variable';
	const log = isLogWanted ? createStandardErrorLog(terminal.error, logLevel, key) : silentLogger;
	const restBase = apiUrl || PUBLIC_REST_BASE;
	const places = { restBase, publicBase: PUBLIC_REST_BASE, named: { s2s: s2sUrl, stt: sttUrl, tts: ttsUrl } };
	const sockets = createSockets({
		clock,
		log,
		key: () => key || null,
		checkAddress: (address) => checkMediaAddress(address, restBase, parseAllowedHosts(allowedHosts)),
		randomHash: () => randomBytes(16).toString('hex'),
		agent: createSocketAgents({ env, clock }),
	});
	return {
		sockets,
		address: (product) => () => {
			const refusal = key === '' ? null : keyRefusal(product, settings);
			return refusal ? err(refusal) : socketAddress(product, places);
		},
		clock,
		log,
		random: Math.random,
	};
}
