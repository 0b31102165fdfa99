import { defaultSettings, type SettingName, type Settings, settingsShape } from '#shared/settings/schema.ts';
import { isSetting, type SettingsFile } from './settings-file.ts';

/** Without these the account could not be used, or more would be kept or shown than the person chose. */
const KEPT: readonly SettingName[] = [
	...(['service', 'apiUrl', 's2sUrl', 'sttUrl', 'ttsUrl', 'allowedHosts', 'proxy', 'proxyAddress'] as const),
	...(['logLevel', 'interfaceLanguage', 'history', 'historyDays', 'setup'] as const),
];

const { overlay, audienceOverlay } = defaultSettings;
/** Off in safe mode, whatever the person chooses. */
const OFF: Partial<Settings> = { overlay, audienceOverlay, warmIdleS: 0 };

/**
 * Settings of a run in safe mode: the person's are set aside, their file stays as it is, and changes last for
 * this run only.
 */
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
