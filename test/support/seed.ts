import { appendFileSync } from 'node:fs';
import { configureGlobal, defaultReportMessage, type RunDetails } from 'fast-check';

/** The seed and the number of inputs for every property test of a run, so that it can be repeated (`npm run faults`, `npm run fuzz`). */
const { DRAGOMAN_TEST_SEED: seed, DRAGOMAN_TEST_RUNS: runs, DRAGOMAN_TEST_COUNTS: counts } = process.env;

/** Reports how many inputs a property saw, if that is wanted; failures are as usual. */
function counting(file: string) {
	return (details: RunDetails<unknown>): void => {
		appendFileSync(file, `${details.numRuns}\n`);
		if (details.failed) throw new Error(defaultReportMessage(details), { cause: details.errorInstance });
	};
}

configureGlobal({
	...(seed && { seed: Number(seed) }),
	...(runs && { numRuns: Number(runs) }),
	...(counts && { reporter: counting(counts) }),
});
