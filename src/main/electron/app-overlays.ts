import { app } from 'electron';
import { createOverlays, type Overlays } from '#main/overlay/overlays.ts';
import type { SettingsStore } from '#main/settings/settings.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { abilitiesOf, usesWayland } from '#shared/overlay/abilities.ts';
import { createScreens, openCaptionsWindow } from './captions-window.ts';

export interface AppOverlaysParts {
	readonly settings: SettingsStore;
	readonly env: NodeJS.ProcessEnv;
	readonly preload: string;
	readonly clock: Clock;
	readonly log: Logger;
}

/** The captions over other windows as this system allows them. */
export function createAppOverlays({ settings, env, ...parts }: AppOverlaysParts): Overlays {
	const abilities = abilitiesOf({
		shell: process.versions.electron ? 'electron' : 'stand-in',
		platform: process.platform,
		wayland: usesWayland(env, app.commandLine.getSwitchValue('ozone-platform')),
	});
	const { platform } = process;
	return createOverlays({
		settings,
		abilities,
		locales: () => app.getPreferredSystemLanguages(),
		screens: createScreens(),
		open: (name, style, box, heard) =>
			openCaptionsWindow({ ...parts, name, abilities, platform }, style, box, heard),
		clock: parts.clock,
	});
}
