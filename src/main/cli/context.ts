import { homedir } from 'node:os';
import type { Ledger } from '#main/keeper/ledger.ts';
import { createLedgerFile } from '#main/keeper/ledger-file.ts';
import { PUBLIC_REST_BASE, parseAllowedHosts } from '#main/service/addresses.ts';
import { createSessionClient, type SessionClient } from '#main/service/session-client.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { settingsInForce } from '#main/settings/sources.ts';
import { userDataFolder } from '#main/settings/user-data.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { type Logger, type LogLevel, redact, silentLogger } from '#shared/lib/log.ts';
import type { Problem } from '#shared/problem.ts';
import { keyRefusal, NAME_IT_HINT } from './key-binding.ts';
import type { Output } from './output.ts';

/** Options every command has. */
export const commonOptions = {
	help: { type: 'boolean', short: 'h' },
	json: { type: 'boolean' },
	'key-stdin': { type: 'boolean' },
	'api-url': { type: 'string' },
	'user-data-dir': { type: 'string' },
	'log-level': { type: 'string' },
} as const;

export const commonHelp = `Options of every command:
  --json                one JSON document on standard output; errors as {"error": {kind, message, code}}
  --key-stdin           read the API key from standard input (else the variable DRAGOMAN_API_KEY)
  --api-url URL         the service's REST address (DRAGOMAN_API_URL)
  --user-data-dir DIR   where settings and ledger are (DRAGOMAN_USER_DATA)
  --log-level LEVEL     error, warn, info or debug, on standard error (DRAGOMAN_LOG_LEVEL)
  --help
Exit status: 0 done, 1 failed, 2 usage, 3 credential refused, 4 not found, 5 limit or quota,
  6 network or service unreachable, 7 bad input file, 130 interrupted.`;

export type CommonValues = { readonly [Name in keyof typeof commonOptions]?: string | boolean | undefined };

/** What the process gives a command. */
export interface Terminal {
	readonly env: NodeJS.ProcessEnv;
	readonly out: (text: string) => void;
	readonly error: (text: string) => void;
	/** Whole of standard input. */
	readonly readInput: () => Promise<string>;
	/** Asks yes or no; `null` where nobody can answer. */
	readonly confirm: ((question: string) => Promise<boolean>) | null;
	readonly signal: AbortSignal;
	/** Standard input as it comes; absent where there is none. */
	readonly input?: () => AsyncIterable<Uint8Array>;
	/** Bytes to standard output; resolves when they are taken. */
	readonly outBytes?: (bytes: Uint8Array) => Promise<void>;
	/** Standard error is a terminal, where a line can be written over. */
	readonly isErrorTerminal?: boolean;
}

/** What a command works with. */
export interface Context {
	readonly client: SessionClient;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly log: Logger;
	readonly output: Output;
	readonly confirm: ((question: string) => Promise<boolean>) | null;
	readonly signal: AbortSignal;
}

export async function createContext(
	values: CommonValues,
	terminal: Terminal,
	output: Output,
): Promise<Context> {
	const { env, signal } = terminal;
	const clock = createSystemClock();
	const folder = userDataFolder(
		{ platform: process.platform, home: homedir(), env },
		text(values['user-data-dir']),
	);
	const given = { 'api-url': text(values['api-url']), 'log-level': text(values['log-level']) };
	const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value)) as Record<
		string,
		string
	>;
	const settings = settingsInForce(options, env, openSettingsFile(folder, clock).stored());
	const key = values['key-stdin'] ? (await terminal.readInput()).trim() : (env.DRAGOMAN_API_KEY ?? '');
	const isLogWanted = settings.origins.logLevel === 'option' || settings.origins.logLevel === 'variable';
	const log = isLogWanted
		? createStandardErrorLog(terminal.error, settings.values.logLevel, key)
		: silentLogger;
	const refusal = key === '' ? null : keyRefusal('api', settings);
	const client = createSessionClient({
		fetch: globalThis.fetch,
		clock,
		random: Math.random,
		log,
		baseUrl: () => settings.values.apiUrl || PUBLIC_REST_BASE,
		key: () => (refusal ? null : key || null),
		allowedHosts: () => parseAllowedHosts(settings.values.allowedHosts),
	});
	const confirm = values['key-stdin'] ? null : terminal.confirm;
	const ledger = createLedgerFile({ folder, clock, log });
	return { client, ledger, clock, log, output: saying(output, refusal), confirm, signal };
}

/** Says why the key that there is was not used, where it would be said that there is none. */
export function saying(output: Output, refusal: Problem | null): Output {
	if (refusal === null) return output;
	return {
		...output,
		problem: (problem, hint) =>
			problem.kind === 'api-key-missing'
				? output.problem(refusal, NAME_IT_HINT)
				: output.problem(problem, hint),
	};
}

function text(value: string | boolean | undefined): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

export function createStandardErrorLog(write: (text: string) => void, least: LogLevel, key: string): Logger {
	const levels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];
	const wanted = levels.slice(0, levels.indexOf(least) + 1);
	const at = (level: LogLevel) => (message: string, facts?: Record<string, unknown>) => {
		if (!wanted.includes(level)) return;
		write(`${redact(`${level}: ${message}${facts ? ` ${JSON.stringify(facts)}` : ''}`, [key])}\n`);
	};
	return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}
