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
}
