import type { Mistake } from '#scripts/mistakes.ts';

/** One mistake that would break a promise; its test is one of plain Node. */
export interface Promised extends Mistake {
	/** As the README or docs/security.md says it. */
	readonly promise: string;
}
