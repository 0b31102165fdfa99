import { expect, test } from 'vitest';
import { startPageBench } from '#test/crash/page-trial.ts';
import { createRandom } from '#test/support/random.ts';

test('a page killed at any step of Start and Stop, or while live, costs its session and nothing else: it comes back, what it was told is kept, the next Start is ready', async () => {
	const seed = Number(process.env.DRAGOMAN_TEST_SEED ?? Date.now() % 2 ** 31);
	const random = createRandom(seed);
	const bench = await startPageBench();
	try {
		// Some of the steps; `npm run crash -- --part window` tries many more.
		const early = 1 + Math.floor(random() * 60);
		const died = await bench.run({ by: 'step', at: early, who: 'page' });
		expect(died, `step ${early}, seed ${seed}`).toMatchObject({ failures: [], killed: true });
		const late = 60 + Math.floor(random() * 120);
		expect((await bench.run({ by: 'step', at: late, who: 'page' })).failures, `step ${late}`).toEqual([]);
		const live = await bench.run({ by: 'time', at: 6000, who: 'program' });
		expect(live.failures).toEqual([]);
	} finally {
		await bench.close();
	}
}, 240_000);
