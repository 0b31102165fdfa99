import { createRandom } from './random.ts';

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

/** What is in flight on a socket: always in order, whatever the delays. */
export function createLine<Thing>(way: Way) {
	const held: { readonly thing: Thing; readonly dueMs: number }[] = [];
	return {
		put(thing: Thing, atMs: number): void {
			held.push({ thing, dueMs: Math.max(way(atMs), held.at(-1)?.dueMs ?? 0) });
		},
		/** What has arrived by now. */
		take(nowMs: number): readonly Thing[] {
			const count = held.findIndex(({ dueMs }) => dueMs > nowMs);
			return held.splice(0, count < 0 ? held.length : count).map(({ thing }) => thing);
		},
	};
}
