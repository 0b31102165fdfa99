/** Small and repeatable: the same seed gives the same numbers, [0, 1). */
export function createRandom(seed: number): () => number {
	let state = seed | 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

/** Several kinds of random choices from one seed. */
export interface Dice {
	/** [0, 1) */
	next(): number;
	/** A whole number, [0, below). */
	below(below: number): number;
	/** [from, to), whole. */
	between(from: number, to: number): number;
	/** True with this probability, 0 to 1. */
	chance(share: number): boolean;
	/** One of a list that is not empty. */
	pick<Value>(list: readonly Value[]): Value;
}

export function createDice(seed: number): Dice {
	const next = createRandom(seed);
	const below = (limit: number) => Math.floor(next() * limit);
	return {
		next,
		below,
		between: (from, to) => from + below(to - from),
		chance: (share) => next() < share,
		pick<Value>(list: readonly Value[]): Value {
			return list[below(list.length)] as Value;
		},
	};
}

/** When what is handed over at `atMs` arrives. */
export type Way = (atMs: number) => number;

/** `delayMs`, and on top of it the size of a normal deviate of `jitterMs`; the same for the same seed. */
export function jitteryWay(delayMs: number, jitterMs: number, seed: number): Way {
	const random = createRandom(seed);
	return (atMs) => {
		const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
		return atMs + delayMs + Math.abs(normal) * jitterMs;
	};
}

/** The data in flight on a socket: always in order, whatever the delays. */
export function createLine<Thing>(way: Way) {
	const held: { readonly thing: Thing; readonly dueMs: number }[] = [];
	return {
		put(thing: Thing, atMs: number): void {
			held.push({ thing, dueMs: Math.max(way(atMs), held.at(-1)?.dueMs ?? 0) });
		},
		/** Takes everything that has arrived by now. */
		take(nowMs: number): readonly Thing[] {
			const count = held.findIndex(({ dueMs }) => dueMs > nowMs);
			return held.splice(0, count < 0 ? held.length : count).map(({ thing }) => thing);
		},
	};
}
