import { homedir } from 'node:os';
import { PUBLIC_REST_BASE, parseAllowedHosts } from '#main/service/addresses.ts';
import { createVoiceClient, type VoiceClient } from '#main/service/voice-client.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { settingsInForce } from '#main/settings/sources.ts';
import { userDataFolder } from '#main/settings/user-data.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { Register } from '#main/voices/register.ts';
import { createRegisterFile } from '#main/voices/register-file.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { type Logger, redact, silentLogger } from '#shared/lib/log.ts';
import { commonOptions, createStandardErrorLog, saying, type Terminal } from './context.ts';
import { keyRefusal } from './key-binding.ts';
import type { Output } from './output.ts';

export const voiceOptions = {
	...commonOptions,
	'voice-token-stdin': { type: 'boolean' },
	name: { type: 'string' },
	lang: { type: 'string' },
	description: { type: 'string' },
	label: { type: 'string', multiple: true },
	attribute: { type: 'string', multiple: true },
	denoise: { type: 'boolean' },
	normalize: { type: 'boolean' },
	'skip-external': { type: 'boolean' },
	'i-have-consent': { type: 'boolean' },
	wait: { type: 'boolean' },
} as const;

export type VoiceValues = {
	readonly [Name in keyof typeof voiceOptions]?:
		| ((typeof voiceOptions)[Name]['type'] extends 'boolean' ? boolean : string | string[])
		| undefined;
};

/** What a command about voices works with. */
export interface VoiceContext {
	readonly client: VoiceClient;
	readonly register: Register;
	readonly clock: Clock;
	readonly log: Logger;
	readonly output: Output;
	readonly terminal: Terminal;
	readonly signal: AbortSignal;
	/** Null where nobody can answer. */
	readonly confirm: ((question: string) => Promise<boolean>) | null;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export async function createVoiceContext(
	values: VoiceValues,
	terminal: Terminal,
	output: Output,
): Promise<VoiceContext> {
	const { env } = terminal;
	const clock = createSystemClock();
	const folder = userDataFolder(
		{ platform: process.platform, home: homedir(), env },
		text(values['user-data-dir']),
	);
	const names = ['api-url', 'log-level'] as const;
	const given = names.flatMap((name) => (text(values[name]) ? [[name, text(values[name])] as const] : []));
	const settings = settingsInForce(Object.fromEntries(given), env, openSettingsFile(folder, clock).stored());
	const piped = values['key-stdin'] || values['voice-token-stdin'] ? (await terminal.readInput()).trim() : '';
	const key = (values['key-stdin'] ? piped : (env.DRAGOMAN_API_KEY ?? '')).trim();
	const token = (values['voice-token-stdin'] ? piped : (env.DRAGOMAN_VOICE_TOKEN ?? '')).trim();
	const origin = settings.origins.logLevel;
	const write = (line: string) => terminal.error(redact(line, [key, token]));
	const isLogWanted = origin === 'option' || origin === 'variable';
	const log = isLogWanted ? createStandardErrorLog(write, settings.values.logLevel, key) : silentLogger;
	const refusal = key === '' && token === '' ? null : keyRefusal('api', settings);
	const usable = (secret: string) => (refusal || secret === '' ? null : secret);
	const client = createVoiceClient({
		fetch: globalThis.fetch,
		clock,
		random: Math.random,
		log,
		baseUrl: () => settings.values.apiUrl || PUBLIC_REST_BASE,
		key: () => usable(key),
		voiceToken: () => usable(token) ?? usable(key),
		allowedHosts: () => parseAllowedHosts(settings.values.allowedHosts),
	});
	return {
		client,
		register: createRegisterFile({ folder, clock, log }),
		clock,
		log,
		output: saying(output, refusal),
		terminal,
		signal: terminal.signal,
		confirm: piped === '' ? terminal.confirm : null,
	};
}
