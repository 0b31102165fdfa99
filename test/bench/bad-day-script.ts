import { createRandom } from '#test/support/random.ts';
import { shuffled } from './statistics.ts';

/** Incidents of a bad day. The first three take network or service away for a time. */
export type Trouble =
	| 'server killed'
	| 'line cut'
	| 'interpreter gone'
	| 'signalling dropped'
	| 'node moved'
	| 'node fails'
	| 'burst of losses';

export interface Incident {
	readonly trouble: Trouble;
	/** From the beginning of the day, ms. */
	readonly atMs: number;
	/** How long it lasts, ms; 0 = a moment. */
	readonly forMs: number;
}

/** Shortest and longest, ms. */
const LASTS: Readonly<Record<Trouble, readonly [number, number]>> = {
	'server killed': [2000, 10_000],
	'line cut': [2000, 10_000],
	'interpreter gone': [2000, 8000],
	'signalling dropped': [0, 0],
	'node moved': [0, 0],
	'node fails': [0, 0],
	'burst of losses': [10_000, 10_000],
};
const ALL = Object.keys(LASTS) as Trouble[];
/** Between the end of an incident and the next one, at least. */
const APART_MS = 16_000;

/**
 * `count` incidents within `lengthMs`, the same for the same seed. Each trouble comes once before one comes again, and none
 * while another still lasts.
 */
export function badDay(seed: number, lengthMs: number, count: number): readonly Incident[] {
	const random = createRandom(seed);
	const troubles: Trouble[] = [];
	while (troubles.length < count) troubles.push(...shuffled(ALL, random));
	const lasting = troubles.slice(0, count).map((trouble) => {
		const [least, most] = LASTS[trouble];
		return { trouble, forMs: Math.round(least + random() * (most - least)) };
	});
	const takenMs = lasting.reduce((sum, { forMs }) => sum + forMs + APART_MS, 0);
	// The time left over is spread between them at random.
	const shares = lasting.map(() => random());
	const all = shares.reduce((sum, share) => sum + share, 0);
	const spareMs = Math.max(0, lengthMs - takenMs);
	let atMs = 0;
	return lasting.map(({ trouble, forMs }, index) => {
		atMs += ((shares[index] ?? 0) / all) * spareMs;
		const incident = { trouble, atMs: Math.round(atMs), forMs };
		atMs += forMs + APART_MS;
		return incident;
	});
}
