/** Words for numbers, days and times in one language. In lower case, Arabic without its variants of alif and ya. */
export interface Words {
	/** Numbers from 0 to 999 that are one word, or several with a space. */
	readonly numbers: Readonly<Record<string, number>>;
	/** Factors of a preceding number: hundred, thousand, million. */
	readonly scales: Readonly<Record<string, number>>;
	/** Between the parts of a number: "two hundred AND five". */
	readonly and: readonly string[];
	/** "three POINT five". */
	readonly point: readonly string[];
	/** After a number, half of one more: "two AND A HALF". */
	readonly andHalf: readonly string[];
	/** Half of a scale that follows: "HALF A million". */
	readonly half?: readonly string[];
	/** `andHalf` is never part of a time. */
	readonly halfIsSure?: true;
	/** Words that may, but need not, stand for one of these numbers. */
	readonly loose: Readonly<Record<string, readonly number[]>>;
	readonly percent: readonly string[];
	/** After a word for percent that is none there: "por cien MIL euros". */
	readonly notPercent?: string;
	readonly currencies: Readonly<Record<string, string>>;
	/** Words that may precede the name of a currency: "Swiss francs". */
	readonly nations?: string;
	/** Phrases whose numbers count nothing. */
	readonly idioms?: string;
	/** Ordinals that are words of their own, in dates: "the FIRST of May". */
	readonly firsts?: Readonly<Record<string, number>>;
	/** Currencies whose name is also a common word: none in front of a number. */
	readonly doubtfulCurrencies?: readonly string[];
	/** The Roman number of a century, in the text as it was given. */
	readonly centuries?: RegExp;
	/** Month names beside those of `Intl`. */
	readonly months?: Readonly<Record<string, number>>;
	/** Days of the week beside those of `Intl`. */
	readonly weekdays?: Readonly<Record<string, number>>;
	/** Months whose name is also a common word. */
	readonly doubtfulMonths?: readonly string[];
	/** Between the parts of a date: "14 DE marzo". */
	readonly ofDate: readonly string[];
	/** After the number of a day: "14TH". */
	readonly ordinals: readonly string[];
	/** `N` is a number; groups `h`, `m`, `half`, `past`, `to` (a quarter), `am`, `pm`. */
	readonly times: readonly string[];
	readonly decimal: '.' | ',' | 'both';
	/** Thousands may be separated by a plain space. */
	readonly blankGroups?: true;
	/** A date of numbers alone: the day comes first, the month, or either. */
	readonly dateOrder: 'day' | 'month' | 'either';
	/** Between two numbers that are one: "twenty thirty" is 2030, "treinta con noventa" is 30.90. */
	readonly pairs?: readonly string[];
	/** Words around the number of a decade, and words for decades. */
	readonly decades?: { readonly before: RegExp; readonly after: RegExp; readonly word: RegExp };
	/** Compounds of `numbers` and `scales` are written as one word. */
	readonly glued?: true;
	/** Letters prefixed to a word without a space: Arabic "and". */
	readonly prefixes?: readonly string[];
	/** Written without spaces. */
	readonly unspaced?: true;
	/** Numbers at the start of a longer word, which may mean them. */
	readonly compounds?: RegExp;
	/** Parts of a word that may stand for a number: the Arabic dual. */
	readonly hints?: readonly { readonly pattern: RegExp; readonly number: number }[];
}

/** Numbers the words consecutively. */
export function counted(first: number, words: string): Record<string, number> {
	return Object.fromEntries(
		words.split(' ').map((word, index) => [word.replaceAll('_', ' '), first + index]),
	);
}

/** Each of the units after each of the tens: "twenty first", "cinquante deuxième". */
export function compounded(tens: string, units: Readonly<Record<string, number>>): Record<string, number> {
	return Object.fromEntries(
		tens
			.split(' ')
			.flatMap((ten, index) =>
				Object.entries(units).map(([unit, number]) => [`${ten} ${unit}`, index * 10 + 20 + number]),
			),
	);
}

/** Several words for one thing. */
export function all<Value>(value: Value, words: string): Record<string, Value> {
	return Object.fromEntries(words.split(' ').map((word) => [word.replaceAll('_', ' '), value]));
}
