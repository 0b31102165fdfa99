import { useEffect } from 'react';
import { useParts } from '#renderer/shell/parts.ts';

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
