/**
 * Words for numbers, days and times in one language, in lower case; Arabic without its variants of alif and ya.
 */
export interface Words {
	/** Numbers from 0 to 999 of one word, or of several words with spaces. */
	readonly numbers: Readonly<Record<string, number>>;
	/** Factors of a preceding number: hundred, thousand, million. */
	readonly scales: Readonly<Record<string, number>>;
	/** Words between the elements of a number: "two hundred AND five". */
	readonly and: readonly string[];
	/** "three POINT five". */
	readonly point: readonly string[];
	/** After a number, adds half of one unit: "two AND A HALF". */
	readonly andHalf: readonly string[];
	/** Halves the scale that follows: "HALF A million". */
	readonly half?: readonly string[];
	/** `andHalf` is never part of a time. */
	readonly halfIsSure?: true;
	/** Words that may stand for one of these numbers, but need not. */
	readonly loose: Readonly<Record<string, readonly number[]>>;
	readonly percent: readonly string[];
	/** Words after which a word for percent has another meaning: "por cien MIL euros". */
	readonly notPercent?: string;
	readonly currencies: Readonly<Record<string, string>>;
	/** Words that may precede the name of a currency: "Swiss francs". */
	readonly nations?: string;
	/** Phrases in which the numbers count nothing. */
	readonly idioms?: string;
	/** Ordinals with a word of their own, in dates: "the FIRST of May". */
	readonly firsts?: Readonly<Record<string, number>>;
	/** Currencies whose name is also a common word: before a number they are not a currency. */
	readonly doubtfulCurrencies?: readonly string[];
	/** The Roman numeral of a century, in the original text. */
	readonly centuries?: RegExp;
	/** Month names in addition to those of `Intl`. */
	readonly months?: Readonly<Record<string, number>>;
	/** Days of the week in addition to those of `Intl`. */
	readonly weekdays?: Readonly<Record<string, number>>;
	/** Months whose name is also a common word. */
	readonly doubtfulMonths?: readonly string[];
	/** Words between the elements of a date: "14 DE marzo". */
	readonly ofDate: readonly string[];
	/** Suffixes of the number of a day: "14TH". */
	readonly ordinals: readonly string[];
	/** `N` is a number; groups `h`, `m`, `half`, `past`, `to` (a quarter), `am`, `pm`. */
	readonly times: readonly string[];
	readonly decimal: '.' | ',' | 'both';
	/** Thousands may be separated by a plain space. */
	readonly blankGroups?: true;
	/** Order of a date of digits only: the day first, the month first, or either. */
	readonly dateOrder: 'day' | 'month' | 'either';
	/** Words between two numbers that form one: "twenty thirty" is 2030, "treinta con noventa" is 30.90. */
	readonly pairs?: readonly string[];
	/** Words around the number of a decade, and words for decades. */
	readonly decades?: { readonly before: RegExp; readonly after: RegExp; readonly word: RegExp };
	/** Compounds of `numbers` and `scales` are written as one word. */
	readonly glued?: true;
	/** Letters prefixed to a word without a space: Arabic "and". */
	readonly prefixes?: readonly string[];
	/** The language is written without spaces. */
	readonly unspaced?: true;
	/** Numbers at the start of a longer word that may contain them. */
	readonly compounds?: RegExp;
	/** Pieces of a word that may stand for a number: the Arabic dual. */
	readonly hints?: readonly { readonly pattern: RegExp; readonly number: number }[];
}

/** Assigns consecutive numbers to the words. */
export function counted(first: number, words: string): Record<string, number> {
	return Object.fromEntries(
		words.split(' ').map((word, index) => [word.replaceAll('_', ' '), first + index]),
	);
}

/** Combines each of the tens with each of the units: "twenty first", "cinquante deuxième". */
export function compounded(tens: string, units: Readonly<Record<string, number>>): Record<string, number> {
	return Object.fromEntries(
		tens
			.split(' ')
			.flatMap((ten, index) =>
				Object.entries(units).map(([unit, number]) => [`${ten} ${unit}`, index * 10 + 20 + number]),
			),
	);
}

/** Maps several words to one value. */
export function all<Value>(value: Value, words: string): Record<string, Value> {
	return Object.fromEntries(words.split(' ').map((word) => [word.replaceAll('_', ' '), value]));
}
