import type { Cancel } from './clock.ts';

/** The listeners of an event. */
export interface Listeners<Args extends readonly unknown[]> {
	readonly listen: (heard: (...args: Args) => void) => Cancel;
	/** Calls the current listeners in order of registration, even if one of them adds or removes others. */
	readonly tell: (...args: Args) => void;
	readonly clear: () => void;
}

export function createListeners<Args extends readonly unknown[]>(): Listeners<Args> {
	const all = new Set<(...args: Args) => void>();
	return {
		listen(heard) {
			all.add(heard);
			return () => void all.delete(heard);
		},
		tell(...args) {
			for (const heard of [...all]) heard(...args);
		},
		clear: () => all.clear(),
	};
}
