import type { Host } from '#renderer/host.ts';
import type { ShellState } from '#shared/host/shell.ts';
import { createMirror, type Mirror } from './mirror.ts';

/** Tray and global keys as main has them. */
export type ShellMirror = Mirror<ShellState>;

export function createShellMirror(host: Host): ShellMirror {
	return createMirror<ShellState>({
		initial: { revision: -1, tray: 'none', globalKeys: 'none', holds: false, refusedKeys: [] },
		listen: (heard) => host.listen('shell.changed', heard),
		read: () => host.ask('shell.state', undefined),
	});
}
