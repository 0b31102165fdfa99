import { z } from 'zod/mini';
import { Finding } from '#shared/diagnosis/finding.ts';

/** What the window and main say to each other about looking for what is wrong. */

const nothing = z.undefined();

export const DiagnosisState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		running: z.boolean(),
		/** Of the running or the last look, in the order they came. */
		findings: z.array(Finding),
	}),
);
export type DiagnosisState = z.infer<typeof DiagnosisState>;

export const diagnosisRequests = {
	/** Looks at everything main can see; resolves when it is done. A second one meanwhile waits for the first. */
	'diagnosis.run': { input: nothing, output: DiagnosisState },
	/** What was not found out yet is `cancelled`; harmless when nothing runs. */
	'diagnosis.cancel': { input: nothing, output: nothing },
} as const;
