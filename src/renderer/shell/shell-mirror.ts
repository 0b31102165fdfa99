import type { Host } from '#renderer/host.ts';
import { shellSays } from '#renderer/ui/on-screen.ts';
import type { ShellState } from '#shared/host/contract.ts';
import { createMirror, type Mirror } from './mirror.ts';

/** Tray and global keys as main has them, and whether the window is shown: what draws asks `ui/on-screen.ts` that. */
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
