import { createStore } from 'zustand/vanilla';
import type { createSetupRehearsal, RehearsalMaking, RehearsalView, SetupRehearsal } from './rehearsal.ts';

/** The rehearsal, whose code comes with the page that shows it. */
export function loadRehearsal(making: Omit<RehearsalMaking, 'store'>): SetupRehearsal {
	const store = createStore<RehearsalView>()(() => ({
		state: 'idle',
		reached: {},
		understood: '',
		translated: '',
		problem: null,
	}));
	let loading: Promise<ReturnType<typeof createSetupRehearsal>> | null = null;
	let wanted = 0;
	return {
		store,
		async run() {
			wanted += 1;
			const own = wanted;
			loading ??= import('./rehearsal.ts').then((it) => it.createSetupRehearsal({ ...making, store }));
			const rehearsal = await loading;
			if (own === wanted) await rehearsal.run();
		},
		async stop() {
			wanted += 1;
			await (await loading)?.stop();
		},
	};
}
