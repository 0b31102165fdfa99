import type { StoreApi } from 'zustand/vanilla';
import { AUTO } from '#shared/protocol/languages.ts';
import type { LegPlan } from './legs.ts';

/** What the others speak, where it is found out by listening: a person knows it better. */
export interface TheirLanguage {
	/** What it was said to be; null = as it is detected. Counts until the next Start, and while it is a candidate. */
	readonly store: StoreApi<{ readonly corrected: string | null }>;
	/** They speak this candidate from the next sentence on. Null: it is detected again. Nothing happens where it is not detected. */
	correct(language: string | null): void;
}

/** What of a correction counts in this plan: it must be one of the languages that are listened for. */
export function countingIn({ incoming }: LegPlan, corrected: string | null): string | null {
	if (corrected === null || incoming?.speak !== AUTO) return null;
	return incoming.detectable.includes(corrected) ? corrected : null;
}

/** The plan with the language they speak fixed; as it is without one. */
export function withTheirs(plan: LegPlan, corrected: string | null): LegPlan {
	if (corrected === null || plan.incoming === null) return plan;
	return { ...plan, incoming: { ...plan.incoming, speak: corrected } };
}
