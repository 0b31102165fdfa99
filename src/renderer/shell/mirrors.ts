import { createAccountMirror } from '#renderer/account/account-mirror.ts';
import { createSystemSoundMirror } from '#renderer/calls/others-sound.ts';
import { createRoutingMirror } from '#renderer/calls/virtual-microphone.ts';
import { createGuestsMirror } from '#renderer/guests/guests-mirror.ts';
import { createHistoryMirror } from '#renderer/history/history-mirror.ts';
import type { Host } from '#renderer/host.ts';
import { createModelsMirror } from '#renderer/models/models-mirror.ts';
import { createSettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { shellSays } from '#renderer/ui/on-screen.ts';
import { createVoicesMirror } from '#renderer/voices/voices-mirror.ts';
import type { ShellState } from '#shared/host/contract.ts';
import { createMirror, type Mirror } from './mirror.ts';

/** Main's state as the window shows it, kept up to date by main's announcements. */
export function createMirrors(host: Host) {
	const account = createAccountMirror(host);
	return {
		settings: createSettingsMirror(host),
		account,
		models: createModelsMirror(host, account),
		history: createHistoryMirror(host),
		voices: createVoicesMirror(host),
		routing: createRoutingMirror(host),
		systemSound: createSystemSoundMirror(host),
		shell: createShellMirror(host),
		guests: createGuestsMirror(host),
	};
}

/** Main's state of tray and global keys, and whether the window is shown (components ask `ui/on-screen.ts`). */
export type ShellMirror = Mirror<ShellState>;

export function createShellMirror(host: Host): ShellMirror {
	const mirror = createMirror<ShellState>({
		initial: { revision: -1, tray: 'none', globalKeys: 'none', holds: false, shown: true, refusedKeys: [] },
		listen: (heard) => host.listen('shell.changed', heard),
		read: () => host.ask('shell.state', undefined),
	});
	mirror.store.subscribe(({ shown }) => shellSays(shown));
	return mirror;
}
