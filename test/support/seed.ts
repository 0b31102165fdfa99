import { configureGlobal } from 'fast-check';

/** One seed, and so many inputs, for every property test of a run: it can be repeated (`npm run faults`, `npm run fuzz`). */
const { DRAGOMAN_TEST_SEED: seed, DRAGOMAN_TEST_RUNS: runs } = process.env;
configureGlobal({ ...(seed && { seed: Number(seed) }), ...(runs && { numRuns: Number(runs) }) });
