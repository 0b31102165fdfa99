import type { SettingsSnapshot } from '#shared/host/contract.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Settings } from '#shared/settings/schema.ts';
import type { SettingsFile } from './settings-file.ts';
import { type Options, settingsInForce } from './sources.ts';

/** The source of truth for settings; the window mirrors it by revision. */
export interface SettingsStore {
	values(): Settings;
	snapshot(): SettingsSnapshot;
	/** Ignores invalid values and keys that an option or variable decides; the snapshot shows the result. */
	write(patch: Readonly<Record<string, unknown>>): SettingsSnapshot;
	/** The result removes the listener. */
	listen(heard: (snapshot: SettingsSnapshot) => void): Cancel;
	/** Names of options and variables that could not be used. */
	refused(): readonly string[];
}

export function createSettings(file: SettingsFile, options: Options, env: NodeJS.ProcessEnv): SettingsStore {
	const listeners = createListeners<[snapshot: SettingsSnapshot]>();
	let revision = 1;
	let inForce = settingsInForce(options, env, file.stored());

	function snapshot(): SettingsSnapshot {
		const { values, origins, sources } = inForce;
		return { revision, values, origins: { ...origins }, sources: { ...sources }, problem: file.problem() };
	}

	return {
		values: () => inForce.values,
		snapshot,
		refused: () => inForce.refused,
		write(patch) {
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
