/** What can be wrong in a translation without sounding wrong. */
export type FactKind = 'number' | 'percent' | 'money' | 'date' | 'time' | 'phone' | 'email' | 'web';

/**
 * How much a fact says. `firm`: has its like on the other side, or is in doubt. `weak`: a small number in words, which a
 * translation may well leave out. `loose`: a word that may stand for a number ("half", "both"); never in doubt itself.
 */
export type Strength = 'firm' | 'weak' | 'loose';

/** A day as far as it was told. */
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
	/** As it stands in the text, and where (UTF-16 units). */
	readonly text: string;
	readonly start: number;
	readonly end: number;
	/** What it may mean, where it is a number, percentage or sum: `1.234` is read in two ways in Spanish. */
	readonly numbers: readonly number[];
	/** A currency, or `%`. */
	readonly unit?: string;
	/** What it may mean, where it is a date: 3/4 is read in two ways in English. */
	readonly days?: readonly Day[];
	/** Minutes since midnight; `sure` where morning and afternoon are told apart. */
	readonly time?: { readonly minutes: number; readonly sure: boolean };
	/** Addresses and telephone numbers, as they are compared. */
	readonly literal?: string;
}
