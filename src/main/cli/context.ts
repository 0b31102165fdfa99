import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { placeOf, type SandboxPlace } from '#main/account/account.ts';
import { homeFolder, userDataFolder } from '#main/lib/files.ts';
import { programFile } from '#main/lib/own-program.ts';
import { INTERPRETER_ENV, missingInterpreter, missingPair, modelsFolder } from '#main/models/models.ts';
import {
	checkMediaAddress,
	type Product,
	PUBLIC_REST_BASE,
	PUBLIC_SOCKETS,
	parseAllowedHosts,
	socketAddress,
} from '#main/service/addresses.ts';
import { readBalance } from '#main/service/balance-client.ts';
import { createGlossaryClient, type GlossaryClient } from '#main/service/glossary-client.ts';
import { createSocketAgents, type SocketAgents } from '#main/service/proxy.ts';
import { createSessionClient, type SessionClient } from '#main/service/session-client.ts';
import { createVoiceClient, type VoiceClient } from '#main/service/voice-client.ts';
import { createLedgerFile, type Ledger } from '#main/sessions/ledger.ts';
import { type InForce, settingsInForce } from '#main/settings/settings.ts';
import { openSettingsFile, type SettingsFile } from '#main/settings/settings-file.ts';
import { createSockets, type Sockets } from '#main/streaming/socket.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { createVoicesFile, type VoicesFile } from '#main/voices/voices-file.ts';
import type { ExitStatus } from '#shared/exit-status.ts';
import type { Balance } from '#shared/host/contract.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { withoutSecrets } from '#shared/lib/environment.ts';
import { type Logger, type LogLevel, redact, silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { AUTO } from '#shared/protocol/languages.ts';
import { codesOf, type Line } from './line.ts';
import { type Output, printable } from './output.ts';
import { wordsOf } from './problems.ts';
import type { Terminal } from './terminal.ts';

export interface Context {
	readonly terminal: Terminal;
	readonly output: Output;
	readonly clock: Clock;
	readonly random: () => number;
	readonly signal: AbortSignal;
	/** Null without a terminal to answer on. */
	readonly confirm: ((question: string) => Promise<boolean>) | null;
	/** Folder of the settings, ledger and history. */
	readonly folder: string;
}

/** The dependencies of a command that calls the service. */
export interface ServiceContext extends Context {
	readonly log: Logger;
	readonly settingsProblem: () => Problem | null;
	/** The current REST address. */
	readonly base: string;
	/** Where the key came from, if it may go to that address. */
	readonly key: () => Result<{ readonly source: string; readonly host: string }, Problem>;
	readonly sessions: SessionClient;
	readonly voices: VoiceClient;
	readonly glossaries: GlossaryClient;
	readonly readBalance: (signal: AbortSignal) => Promise<Result<Balance, Problem>>;
	readonly sockets: Sockets;
	readonly agent: SocketAgents;
	readonly socketAddress: (product: Product) => Result<string, Problem>;
	readonly ledger: Ledger;
	readonly register: VoicesFile;
	/** True: files are sent as fast as this computer recognises them, not in real time. */
	readonly asHeard: boolean;
	/** Releases ledger and register. */
	close(): void;
}

export function createContext(line: Line, terminal: Terminal, output: Output): Context {
	const { env, signal } = terminal;
	return {
		terminal,
		output,
		clock: createSystemClock(),
		random: Math.random,
		signal,
		confirm: isSecretPiped(line) ? null : terminal.confirm,
		folder: userDataFolder(
			{ platform: process.platform, home: homeFolder(), env },
			line.text('user-data-dir') || undefined,
		),
	};
}

/** True if a key or a token is given on standard input. */
function isSecretPiped(line: Line): boolean {
	return line.has('key-stdin') || line.has('voice-token-stdin');
}

export type Run<In extends Context> = (context: In, line: Line) => ExitStatus | Promise<ExitStatus>;

/**
 * The app's settings, which a command only reads. Reports faults of their file; `doctor` lists them among its findings.
 */
export function readSettings(
	{ folder, clock, output }: Context,
	line: Line,
): Pick<SettingsFile, 'stored' | 'problem'> {
	const file = openSettingsFile(folder, clock, { looksOnly: true });
	const problem = file.problem();
	if (problem && line.command !== 'doctor') output.note(wordsOf(problem));
	return file;
}

/** Reads the settings and the key; reads the key from standard input if the user asked for that. */
async function openService(
	context: Context,
	line: Line,
	local: Local['place'] | null,
): Promise<ServiceContext> {
	const { terminal, clock, random, folder } = context;
	const { env } = terminal;
	const file = readSettings(context, line);
	const settings = settingsInForce(optionsOf(line), env, file.stored());
	const { apiUrl, logLevel } = settings.values;
	const base = local?.api ?? (apiUrl || PUBLIC_REST_BASE);
	const allowedHosts = parseAllowedHosts(settings.values.allowedHosts);
	const isKeyPiped = line.has('key-stdin');
	const isTokenPiped = line.has('voice-token-stdin');
	// Input that is not text becomes this character, which the check of keys refuses.
	const piped = isSecretPiped(line) ? ((await terminal.readInput()) ?? '\uFFFD').trim() : '';
	// No key of the service is sent to this computer's own interpreter.
	const key = local?.key ?? (isKeyPiped ? piped : (env.DRAGOMAN_API_KEY ?? ''));
	const token = isTokenPiped ? piped : (env.DRAGOMAN_VOICE_TOKEN ?? '');
	const refusal = local ? null : keyRefusal('api', settings);
	const usable = (secret: string) => (refusal || secret === '' ? null : secret);
	const isLogWanted = ['option', 'variable'].includes(settings.origins.logLevel);
	const log = isLogWanted ? createStandardErrorLog(terminal.error, logLevel, [key, token]) : silentLogger;
	const rest = { fetch: globalThis.fetch, clock, random, log, baseUrl: () => base, key: () => usable(key) };
	const sessions = createSessionClient({ ...rest, allowedHosts: () => allowedHosts });
	const voices = createVoiceClient({
		...rest,
		voiceToken: () => usable(token) ?? usable(key),
		allowedHosts: () => allowedHosts,
	});
	const glossaries = createGlossaryClient(rest);
	const agent = createSocketAgents({ env, clock });
	const places = {
		restBase: base,
		publicBase: PUBLIC_REST_BASE,
		named: {
			s2s: local?.s2s ?? settings.values.s2sUrl,
			stt: local?.stt ?? settings.values.sttUrl,
			tts: local?.tts ?? settings.values.ttsUrl,
		},
	};
	const ledger = createLedgerFile({ folder, clock, log });
	const register = createVoicesFile({ folder, clock, log });
	return {
		...context,
		log,
		settingsProblem: file.problem,
		base,
		key() {
			if (key === '') return err({ kind: 'api-key-missing' });
			const source = isKeyPiped ? 'standard input' : 'DRAGOMAN_API_KEY';
			return refusal ? err(refusal) : ok({ source, host: URL.parse(base)?.host ?? '' });
		},
		sessions: key === '' ? sessions : refusing(sessions, refusal),
		glossaries: key === '' ? glossaries : refusing(glossaries, refusal),
		readBalance: async (asked) => (key !== '' && refusal ? err(refusal) : readBalance(rest, asked)),
		voices: key === '' && token === '' ? voices : refusing(voices, refusal),
		sockets: createSockets({
			clock,
			log,
			key: () => key || null,
			checkAddress: (address) => checkMediaAddress(address, base, allowedHosts),
			randomHash: () => randomBytes(16).toString('hex'),
			agent,
		}),
		agent,
		socketAddress(product) {
			const refused = key === '' || local ? null : keyRefusal(product, settings);
			return refused ? err(refused) : socketAddress(product, places);
		},
		ledger,
		register,
		asHeard: local !== null,
		close() {
			ledger.close();
			register.close();
		},
	};
}

/** Opens the service for a command that uses it, and releases it afterwards. */
export function withService(run: Run<ServiceContext>): Run<Context> {
	return async (context, line) => {
		const { clock, folder, terminal, output } = context;
		const local = line.has('local') ? await startLocal(line, { clock, folder, env: terminal.env }) : null;
		if (local && !local.ok) return output.problem(local.error);
		const service = await openService(context, line, local?.value.place ?? null);
		try {
			// If interrupted before the key arrived, report "cancelled", not "no key".
			if (isSecretPiped(line) && context.signal.aborted) return context.output.problem({ kind: 'cancelled' });
			return await run(service, line);
		} finally {
			service.close();
			await local?.value.close();
		}
	};
}

/** The options that override a setting. */
function optionsOf(line: Line): Readonly<Record<string, string>> {
	const names = ['api-url', 's2s-url', 'stt-url', 'tts-url', 'log-level'] as const;
	return Object.fromEntries(
		names.map((name) => [name, line.text(name)] as const).filter(([, value]) => value !== ''),
	);
}

/** Makes every call fail with the reason why the key is not used (`refusal`), not with "no key". */
function refusing<Client extends { account(): Result<unknown, Problem> }>(
	client: Client,
	refusal: Problem | null,
): Client {
	return refusal === null ? client : { ...client, account: () => err(refusal) };
}

function createStandardErrorLog(
	write: (text: string) => void,
	least: LogLevel,
	secrets: readonly string[],
): Logger {
	const levels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];
	const wanted = levels.slice(0, levels.indexOf(least) + 1);
	const at = (level: LogLevel) => (message: string, facts?: Record<string, unknown>) => {
		if (!wanted.includes(level)) return;
		write(`${redact(`${level}: ${message}${facts ? ` ${JSON.stringify(facts)}` : ''}`, secrets)}\n`);
	};
	return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}

type Place = 'api' | Product;

const usual: Readonly<Record<Place, string>> = { api: PUBLIC_REST_BASE, ...PUBLIC_SOCKETS };

/**
 * Why a key from the environment or standard input may not be sent to the current address; null = it may be,
 * because options, variables or the default named the address. An address that only the app's settings name
 * is refused: anyone who can write the settings would get the key.
 */
export function keyRefusal(place: Place, { values, origins }: InForce): Problem | null {
	const address = values[`${place}Url`];
	if (origins[`${place}Url`] !== 'setting' || address === '' || address === usual[place]) return null;
	return { kind: 'key-elsewhere', host: URL.parse(address.replaceAll(/[{}]/g, ''))?.host ?? '' };
}

/** A local interpreter that runs for one command. */
interface Local {
	readonly place: SandboxPlace;
	close(): Promise<void>;
}

/** Starts the local interpreter (`--local`) in its own process; `models-missing` if it needs more models. */
async function startLocal(
	line: Line,
	parts: { readonly clock: Clock; readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<Result<Local, Problem>> {
	const modelFiles = modelsFolder(parts.folder, parts.env, line.text('models'));
	const from = line.text('from').toLowerCase() || AUTO;
	const missing =
		line.command === 'speak'
			? missingInterpreter(modelFiles)
			: missingPair(modelFiles, from, codesOf(line.all('to')));
	if (missing !== null) return err({ kind: 'models-missing', pair: missing });
	const args = ['--port', '0', '--interpreter', 'local', '--models', modelFiles];
	const child = fork(programFile('src/sandbox/main.ts', 'sandbox'), args, {
		env: { ...withoutSecrets(parts.env), ...INTERPRETER_ENV },
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
	});
	const ended = new Promise<void>((done) => child.once('exit', () => done()));
	child.stderr?.resume();
	const place = await placeOf(child, parts.clock);
	async function close(): Promise<void> {
		child.kill();
		await ended;
	}
	if (place.ok) return ok({ place: place.value, close });
	await close();
	return place;
}

/** A command that deletes needs a terminal to ask in, or `--yes`. With neither, prints that and returns the exit status. */
export function unaskable({ confirm, output }: Context, line: Line): ExitStatus | null {
	if (line.has('yes') || confirm) return null;
	return output.usage('There is no terminal to ask on: add --yes to delete.');
}

/** Asks, unless `--yes` was given. If there is nothing to delete, prints that and returns the exit status. */
export async function declined(
	{ confirm, output, signal }: Context,
	line: Line,
	question: string,
): Promise<ExitStatus | null> {
	if (line.has('yes') || (await confirm?.(printable(question)))) return null;
	if (signal.aborted) return output.problem({ kind: 'cancelled' });
	return output.refusal('declined', 'Nothing was deleted.');
}
