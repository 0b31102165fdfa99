import { expect, onTestFinished, test } from 'vitest';
import type { Host } from '#renderer/host.ts';
import { isOnScreen, shellSays } from '#renderer/ui/on-screen.ts';
import type { ShellState } from '#shared/host/contract.ts';
import { err } from '#shared/lib/result.ts';
import { createShellMirror } from './mirrors.ts';

test('a window that main says is hidden is not drawn, until main says that it is shown', () => {
	onTestFinished(() => shellSays(true));
	let announce: (state: ShellState) => void = () => {};
	createShellMirror({
		listen(_name: string, heard: (state: ShellState) => void) {
			announce = heard;
			return () => {};
		},
		ask: async () => err({ kind: 'cancelled' }),
	} as unknown as Host);
	const of = (revision: number, shown: boolean): ShellState => ({
		revision,
		tray: 'shown',
		globalKeys: 'none',
		holds: false,
		refusedKeys: [],
		shown,
	});
	expect(isOnScreen()).toBe(true);
	announce(of(2, false));
	expect(isOnScreen()).toBe(false);
	// Stale.
	announce(of(1, true));
	expect(isOnScreen()).toBe(false);
	announce(of(3, true));
	expect(isOnScreen()).toBe(true);
});
