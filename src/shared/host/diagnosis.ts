import { z } from 'zod/mini';
import { Finding } from '#shared/diagnosis/finding.ts';

/** Messages between window and main about the diagnosis. */

const nothing = z.undefined();

export const DiagnosisState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		running: z.boolean(),
		/** Findings of the running or the last diagnosis, in order of arrival. */
		findings: z.array(Finding),
	}),
);
export type DiagnosisState = z.infer<typeof DiagnosisState>;

export const diagnosisRequests = {
	/** Runs all of main's checks; resolves when done. A second call meanwhile waits for the first. */
	'diagnosis.run': { input: nothing, output: DiagnosisState },
	/** Unfinished checks become `cancelled`; harmless when nothing runs. */
	'diagnosis.cancel': { input: nothing, output: nothing },
} as const;
