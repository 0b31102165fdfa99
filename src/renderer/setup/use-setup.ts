import { useCallback, useEffect } from 'react';
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

/** Once a service is chosen, on whatever page, the rest of the setup is offered. */
export function useOfferSetup(): void {
	const { account, settings } = useParts();
	useEffect(
		() =>
			account.store.subscribe(({ status }, before) => {
				const isKnown = before.loaded && before.problem === null;
				const wasUnset = isKnown && before.status.service === 'unset';
				if (!wasUnset || status.service === 'unset') return;
				const { done } = settings.store.getState().values.setup;
				const all = done.includes('account') ? done : [...done, 'account' as const];
				void settings.write({ setup: { offered: true, done: all } });
			}),
		[account, settings],
	);
}
