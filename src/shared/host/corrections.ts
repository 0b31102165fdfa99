import { z } from 'zod/mini';
import { Correction } from '#shared/captions/correction.ts';

/**
 * Most characters of a table of corrections: the maximum number of rows, with every cell at its longest and fully
 * quoted.
 */
export const LONGEST_CORRECTIONS_TABLE = 3_000_000;

export const correctionRequests = {
	/** Reads CSV: language, wrong, right. `table-invalid` names what is wrong by line. */
	'corrections.read': {
		input: z.object({ table: z.string().check(z.maxLength(LONGEST_CORRECTIONS_TABLE)) }),
		output: z.array(Correction),
	},
} as const;
