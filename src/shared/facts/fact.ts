/** What can be wrong in a translation without sounding wrong. */
export type FactKind = 'number' | 'percent' | 'money' | 'date' | 'time' | 'phone' | 'email' | 'web';

/**
 * How certain a fact is. `firm`: has a counterpart on the other side, or is in doubt. `weak`: a small number in words,
 * which a translation may omit. `loose`: a word that may stand for a number ("half", "both"); never in doubt itself.
 */
export type Strength = 'firm' | 'weak' | 'loose';

/** A day, with the parts that were given. */
export interface Day {
	readonly year?: number;
	/** 1 to 12. */
	readonly month?: number;
	readonly day?: number;
	/** 0 = Sunday. */
	readonly weekday?: number;
}

export interface Fact {
	readonly kind: FactKind;
	readonly strength: Strength;
	/** As written in the text, and its position (UTF-16 units). */
	readonly text: string;
	readonly start: number;
	readonly end: number;
	/** Possible values of a number, percentage or sum: `1.234` has two readings in Spanish. */
	readonly numbers: readonly number[];
	/** A currency, or `%`. */
	readonly unit?: string;
	/** Possible values of a date: 3/4 has two readings in English. */
	readonly days?: readonly Day[];
	/** Minutes since midnight; `sure` if morning or afternoon is certain. */
	readonly time?: { readonly minutes: number; readonly sure: boolean };
	/** Addresses and telephone numbers, normalised for comparison. */
	readonly literal?: string;
	/** The words are digits read out one after another. */
	readonly spelled?: true;
	/** People read it in two ways, or we cannot: no number of the other side is in doubt for it. */
	readonly unread?: true;
	/** `minus`: below zero; `lower`: its sentence speaks of less, which may stand for a minus. */
	readonly sign?: 'minus' | 'lower';
	/** What it counts or names, in the singular of English: `room`, `hour`. */
	readonly label?: string;
	readonly measure?: 'imperial' | 'metric' | 'degree';
	/** Where the next number starts, if a translation keeps their order: a range, a change, a ratio, a list. */
	readonly upTo?: number;
	readonly cue?: Cue;
}

/** A word that excludes others of its dimension: morning and evening, noon and midnight, today and tomorrow, door B and D. */
export interface Cue {
	readonly dimension: 'day' | 'noon' | 'fraction' | 'when' | 'rank' | 'north' | 'east' | 'rate' | 'letter';
	readonly value: string;
}
