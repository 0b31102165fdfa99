import type { Cancel } from './clock.ts';

/** Who wants to hear of something. */
export interface Listeners<Args extends readonly unknown[]> {
	/** Returns its removal. */
	readonly listen: (heard: (...args: Args) => void) => Cancel;
	/** Tells those who listen at this moment, in the order they came, also when one of them adds or removes some. */
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
