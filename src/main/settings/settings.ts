import { parseArgs } from 'node:util';
import type { SettingsSnapshot } from '#shared/host/contract.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import {
	defaultSettings,
	type SettingName,
	type SettingOrigin,
	type Settings,
	settingsShape,
} from '#shared/settings/schema.ts';
import { isSetting, type SettingsFile } from './settings-file.ts';

/** Which option and variable override a setting. */
const outside: { readonly [Name in SettingName]?: { option?: string; variable?: string } } = {
	service: { option: 'service', variable: 'DRAGOMAN_SERVICE' },
	apiUrl: { option: 'api-url', variable: 'DRAGOMAN_API_URL' },
	s2sUrl: { option: 's2s-url', variable: 'DRAGOMAN_S2S_URL' },
	sttUrl: { option: 'stt-url', variable: 'DRAGOMAN_STT_URL' },
	ttsUrl: { option: 'tts-url', variable: 'DRAGOMAN_TTS_URL' },
	allowedHosts: { variable: 'DRAGOMAN_ALLOWED_HOSTS' },
	logLevel: { option: 'log-level', variable: 'DRAGOMAN_LOG_LEVEL' },
};

export type Options = Readonly<Record<string, string>>;

/** Longer than any address or path of ours. Node parses a group of short switches letter by letter, 2 µs each. */
const LONGEST_ARGUMENT = 8192;

/** Options of the app on a command line; ignores what is not ours (Chromium's switches) or too long. */
export function readOptions(argv: readonly string[]): Options {
	const names = [...Object.values(outside).flatMap((it) => it.option ?? []), 'user-data-dir', 'models'];
	const { values } = parseArgs({
		// An empty text keeps its place, so that the option before it does not take the next argument as its value.
		args: argv.map((arg) => (arg.length <= LONGEST_ARGUMENT ? arg : '')),
		strict: false,
		options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
	});
	const known = names.flatMap((name) => {
		const value = values[name];
		return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
	});
	return Object.fromEntries(known);
}

export interface InForce {
	readonly values: Settings;
	readonly origins: Readonly<Record<SettingName, SettingOrigin>>;
	/** The option or variable that set each setting: `--api-url`, `DRAGOMAN_API_URL`. */
	readonly sources: Readonly<Record<string, string>>;
	/** Names of options and variables whose value cannot be used. */
	readonly refused: readonly string[];
}

interface Found {
	readonly value?: unknown;
	readonly origin?: SettingOrigin;
	/** The name of the option or variable. */
	readonly source?: string;
	readonly refused: readonly string[];
}

/** The value of one setting on the command line or in the environment. */
function fromOutside(name: SettingName, options: Options, env: NodeJS.ProcessEnv): Found {
	const { option, variable } = outside[name] ?? {};
	const refused: string[] = [];
	const candidates = [
		{ origin: 'option', label: `--${option}`, value: option ? options[option] : undefined },
		{ origin: 'variable', label: variable ?? '', value: variable ? env[variable] : undefined },
	] as const;
	for (const { origin, label, value: given } of candidates) {
		// An option read from a file may end with a carriage return; `takeEnvironment` has trimmed variables.
		const value = given?.trim();
		if (!value) continue;
		const parsed = settingsShape[name].safeParse(value);
		if (parsed.success) return { value: parsed.data, origin, source: label, refused };
		refused.push(label);
	}
	return { refused };
}

/**
 * Option, then variable, then the user's setting, then the default. Naming an address or a key outside the
 * app means "use that service", whatever was chosen there before.
 */
export function settingsInForce(
	options: Options,
	env: NodeJS.ProcessEnv,
	stored: Readonly<Partial<Settings>>,
): InForce {
	const values: Record<string, unknown> = { ...defaultSettings, ...stored };
	const origins: Partial<Record<SettingName, SettingOrigin>> = {};
	const sources: Record<string, string> = {};
	const refused: string[] = [];
	for (const name of Object.keys(settingsShape) as SettingName[]) {
		const found = fromOutside(name, options, env);
		refused.push(...found.refused);
		if (found.origin) values[name] = found.value;
		if (found.source) sources[name] = found.source;
		origins[name] = found.origin ?? (Object.hasOwn(stored, name) ? 'setting' : 'default');
	}
	const chosenOutside = origins.service === 'option' || origins.service === 'variable';
	const namedBy = origins.apiUrl === 'option' ? 'option' : 'variable';
	const named = origins.apiUrl === 'option' || origins.apiUrl === 'variable' || env.DRAGOMAN_API_KEY;
	if (named && !chosenOutside) {
		values.service = 'service';
		origins.service = namedBy;
		sources.service = sources.apiUrl ?? 'DRAGOMAN_API_KEY';
	}
	return {
		values: values as Settings,
		origins: origins as Record<SettingName, SettingOrigin>,
		sources,
		refused,
	};
}

/** Variables that are not settings. */
const OTHERS = [
	'DRAGOMAN_API_KEY',
	'DRAGOMAN_VOICE_TOKEN',
	'DRAGOMAN_USER_DATA',
	'DRAGOMAN_CHROMIUM',
	'DRAGOMAN_MODELS',
	'DRAGOMAN_MODELS_URL',
	'LIVEKIT_URL',
	'LIVEKIT_API_KEY',
	'LIVEKIT_API_SECRET',
	'HTTPS_PROXY',
	'NO_PROXY',
	'NODE_EXTRA_CA_CERTS',
	'NO_COLOR',
] as const;

/** Names of the variables that are set and that this program reads; some of their values are secret. */
export function variablesSet(env: NodeJS.ProcessEnv): string[] {
	const names = [...Object.values(outside).flatMap((it) => it.variable ?? []), ...OTHERS];
	return names.filter((name) => Boolean(env[name] || env[name.toLowerCase()])).sort();
}

export type SettingsStore = ReturnType<typeof createSettings>;

/** The source of truth for settings; the window mirrors it by revision. */
export function createSettings(file: SettingsFile, options: Options, env: NodeJS.ProcessEnv) {
	const listeners = createListeners<[snapshot: SettingsSnapshot]>();
	let revision = 1;
	let inForce = settingsInForce(options, env, file.stored());

	function snapshot(): SettingsSnapshot {
		const { values, origins, sources } = inForce;
		return { revision, values, origins: { ...origins }, sources: { ...sources }, problem: file.problem() };
	}

	return {
		values: (): Settings => inForce.values,
		snapshot,
		/** Names of the options and variables with unusable values. */
		refused: (): readonly string[] => inForce.refused,
		/** Ignores invalid values and keys that an option or variable decides; the snapshot shows the result. */
		write(patch: Readonly<Record<string, unknown>>): SettingsSnapshot {
			const origins: Readonly<Record<string, string>> = inForce.origins;
			const allowed = Object.entries(patch).filter(
				([name]) => origins[name] !== 'option' && origins[name] !== 'variable',
			);
			if (allowed.length > 0) {
				file.write(Object.fromEntries(allowed));
				inForce = settingsInForce(options, env, file.stored());
				revision += 1;
				listeners.tell(snapshot());
			}
			return snapshot();
		},
		listen: listeners.listen,
	};
}

/** Kept in safe mode: otherwise the account could not be used, or more would be stored or shown than chosen. */
const KEPT: readonly SettingName[] = [
	...(['service', 'apiUrl', 's2sUrl', 'sttUrl', 'ttsUrl', 'allowedHosts', 'proxy', 'proxyAddress'] as const),
	...(['logLevel', 'interfaceLanguage', 'history', 'historyDays', 'setup'] as const),
];

const { overlay, audienceOverlay } = defaultSettings;
/** Always off in safe mode. */
const OFF: Partial<Settings> = { overlay, audienceOverlay, warmIdleS: 0 };

/** Settings in safe mode: the user's are ignored and kept; changes last for this run only. */
export function setAside(file: SettingsFile): SettingsFile {
	const stored: Readonly<Record<string, unknown>> = file.stored();
	let now: Readonly<Record<string, unknown>> = Object.fromEntries(
		KEPT.flatMap((name) => (name in stored ? [[name, stored[name]]] : [])),
	);
	return {
		stored: () => ({ ...now, ...OFF }),
		problem: file.problem,
		write(patch) {
			const valid = Object.entries(patch).filter(
				([name, value]) =>
					isSetting(name) && (value === undefined || settingsShape[name].safeParse(value).success),
			);
			const next = Object.entries({ ...now, ...Object.fromEntries(valid) });
			now = Object.fromEntries(next.filter(([, value]) => value !== undefined));
		},
	};
}
