import { useCallback } from 'react';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import type { Settings } from '#shared/settings/schema.ts';

export type SetupStep = Settings['setup']['done'][number];
export const setupSteps: readonly SetupStep[] = ['account', 'microphone', 'output', 'languages', 'rehearsal'];

/** The state of the setup, and how to change it. */
export function useSetup() {
	const { settings } = useParts();
	const setup = useSetting('setup');
	const write = useCallback(
		(change: Partial<Settings['setup']>) => {
			const before = settings.store.getState().values.setup;
			void settings.write({ setup: { ...before, ...change } });
		},
		[settings],
	);
	const finish = useCallback(
		(step: SetupStep) => {
			const { done } = settings.store.getState().values.setup;
			if (!done.includes(step)) write({ done: [...done, step] });
		},
		[settings, write],
	);
	return { setup, finish, putAway: () => write({ offered: false }), reopen: () => write({ done: [] }) };
}
