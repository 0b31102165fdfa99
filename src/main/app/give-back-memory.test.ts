import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createMemoryGiver } from './give-back-memory.ts';

function stage() {
	const clock = createManualClock();
	let times = 0;
	const collect = () => {
		times += 1;
	};
	const giver = createMemoryGiver({ clock, log: silentLogger, collect });
	return { clock, giver, times: () => times };
}

test('memory is given back once, eight seconds after the conversation was over, and not before', () => {
	const { clock, giver, times } = stage();
	for (const phase of ['starting', 'live', 'ending', 'idle'] as const) giver.phase(phase);
	clock.advance(7999);
	expect(times()).toBe(0);
	clock.advance(1);
	expect(times()).toBe(1);
	clock.advance(3_600_000);
	expect([times(), clock.pending]).toEqual([1, 0]);
});

test.each(['starting', 'live', 'paused', 'recovering', 'ending'] as const)(
	'a conversation that is %s is not stopped for it',
	(phase) => {
		const { clock, giver, times } = stage();
		giver.phase('idle');
		clock.advance(7000);
		giver.phase(phase);
		clock.advance(60_000);
		expect(times()).toBe(0);
	},
);

test('it is not waited for when the program ends, and a failure costs nothing', () => {
	const { clock, giver, times } = stage();
	giver.phase('failed');
	giver.close();
	expect(clock.pending).toBe(0);
	const warnings: string[] = [];
	const failing = createMemoryGiver({
		clock,
		log: { ...silentLogger, warn: (message) => void warnings.push(message) },
		collect() {
			throw new Error('no gc');
		},
	});
	failing.phase('idle');
	clock.advance(8000);
	expect([times(), warnings]).toEqual([0, ['memory is not given back']]);
});

test('what nothing uses any more is really given back', () => {
	const clock = createManualClock();
	const giver = createMemoryGiver({ clock, log: silentLogger });
	const held: { used: number[][] | null } = {
		used: Array.from({ length: 200 }, () => new Array(10_000).fill(0.5)),
	};
	const before = process.memoryUsage().heapUsed;
	held.used = null;
	giver.phase('idle');
	clock.advance(8000);
	expect(before - process.memoryUsage().heapUsed).toBeGreaterThan(10_000_000);
});
