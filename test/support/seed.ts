import { configureGlobal } from 'fast-check';

/** Makes every property test of a run begin with one seed, so that a run can be repeated (`npm run faults`). */
const seed = process.env.DRAGOMAN_TEST_SEED;
if (seed) configureGlobal({ seed: Number(seed) });
