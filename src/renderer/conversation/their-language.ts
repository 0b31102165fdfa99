import type { StoreApi } from 'zustand/vanilla';
import { AUTO } from '#shared/protocol/languages.ts';
import type { LegPlan } from './legs/legs.ts';

/** Corrects the detected language of the others: a person knows better. */
export interface TheirLanguage {
	/** The language the person set; null = as detected. Applies until the next Start, and while it is a candidate. */
	readonly store: StoreApi<{ readonly corrected: string | null }>;
	/**
	 * They speak this candidate from the next sentence on. Null: detect again. Does nothing where there is no detection.
	 */
	correct(language: string | null): void;
}

/** The correction, if it applies to this plan: it must be one of the candidates. */
export function countingIn({ incoming }: LegPlan, corrected: string | null): string | null {
	if (corrected === null || incoming?.speak !== AUTO) return null;
	return incoming.detectable.includes(corrected) ? corrected : null;
}

/** The plan with their language fixed, or unchanged without a correction. */
export function withTheirs(plan: LegPlan, corrected: string | null): LegPlan {
	if (corrected === null || plan.incoming === null) return plan;
	return { ...plan, incoming: { ...plan.incoming, speak: corrected } };
}
