import type { Strength } from './fact.ts';
import { decimalsAfter, type Item, itemsOf, nextAtoms, readDigits } from './number-parts.ts';
import { type Atom, rounded, Sum } from './sum.ts';
import type { Words } from './words/words.ts';

/** A number in a text. */
export interface Numeral {
	readonly start: number;
	readonly end: number;
	/** Possible values; empty for a version or similar. */
	readonly numbers: readonly number[];
	readonly strength: Strength;
	/** The text, if written in digits. */
	readonly digits: string | null;
	/** The digits of a number that is read out in groups: "oh six, twelve, thirty-four". */
	readonly spelled?: string;
	/** Set if the number is written as a time, `14:30`. */
	readonly clock?: { readonly hours: number; readonly minutes: number };
}

/** Translations easily omit or add numbers in words up to this one. */
const SMALL = 12;

/** The numbers of a text in digits and in words, after `plainOf`. */
export function numeralsIn(plain: string, words: Words, text = plain): readonly Numeral[] {
	const items = itemsOf(plain);
	const found: Numeral[] = [];
	for (let at = 0; at < items.length; ) {
		const group = readGroup(items, at, plain, words);
		if (!group) {
			at++;
			continue;
		}
		found.push(group.numeral);
		at = group.next;
	}
	return inDecades(
		inPairs(spelledOut(inRanges(found, plain), plain, text, words), plain, words),
		plain,
		words,
	);
}

interface Group {
	readonly numeral: Numeral;
	/** Index of the following item. */
	readonly next: number;
}

/** The start of a compound: "fifteen-minute". */
function isCompound(plain: string, end: number): boolean {
	return /^-\p{L}/u.test(plain.slice(end, end + 2));
}

/** A number that is extended item by item. */
interface Growing {
	readonly end: number;
	readonly next: number;
	readonly numbers: readonly number[];
	/** "Three point twelve point one" is a version, not a number. */
	readonly chain?: string;
}

function readGroup(items: readonly Item[], first: number, plain: string, words: Words): Group | null {
	const item = items[first];
	if (!item) return null;
	if (item.is === 'digits' && item.text.includes(':')) {
		const [hours = 0, minutes = 0] = item.text.split(':').map(Number);
		const { start, end, text: digits } = item;
		const numeral = { start, end, numbers: [], strength: 'firm' as const, digits, clock: { hours, minutes } };
		return { numeral, next: first + 1 };
	}
	const half = readHalf(items, first, plain, words);
	if (half) return half;
	const digits = item.is === 'digits' ? item.text : null;
	const { sum, atoms, end, next } = summed(items, first, plain, words);
	if (next === first) return null;
	let grown: Growing = { end, next, numbers: withThousands(sum.values(), plain.slice(end, end + 7)) };
	grown = withDecimals(grown, items, plain, words);
	grown = withHalf(grown, sum.lastScale(), items, plain, words);
	// "A forty-second break".
	if (/ty[ -]second$/.test(plain.slice(item.start, grown.end)))
		grown = { ...grown, numbers: grown.numbers.flatMap((number) => [number, number - 2]) };
	const strength = strengthOf(grown.numbers, digits === null, atoms);
	const isDigitsAlone = atoms.length === 0;
	return {
		numeral: {
			start: item.start,
			end: grown.end,
			numbers: grown.numbers,
			strength,
			digits: grown.chain ?? (isDigitsAlone ? digits : null),
		},
		next: grown.next,
	};
}

/** Reads a half before its scale: "half a million", "medio millón". */
function readHalf(items: readonly Item[], first: number, plain: string, words: Words): Group | null {
	const start = items[first]?.start ?? 0;
	for (const phrase of words.half ?? []) {
		if (!plain.startsWith(phrase, start)) continue;
		const half = { end: start + phrase.length, next: first + phrase.split(' ').length, numbers: [0.5] };
		const whole = scaled(half, items, plain, words);
		if (!whole) continue;
		const { end, next, numbers } = whole;
		return { numeral: { start, end, numbers, strength: strengthOf(numbers, true, []), digits: null }, next };
	}
	return null;
}

/** Applies the scale that follows, as in "two and a half million"; null: none follows. */
function scaled(grown: Growing, items: readonly Item[], plain: string, words: Words): Growing | null {
	const taken = nextAtoms(items, grown.next, plain, words, grown.end);
	const [atom, ...more] = taken?.atoms ?? [];
	const scale = more.length === 0 && !atom?.and ? atom?.scale : undefined;
	if (!taken || !scale) return null;
	const numbers = grown.numbers.map((number) => rounded(number * scale));
	return { end: taken.end, next: taken.next, numbers };
}

/** Adds up as many items as form one number. */
function summed(items: readonly Item[], first: number, plain: string, words: Words) {
	const item = items[first] as Item;
	const isDigits = item.is === 'digits';
	let sum = isDigits ? new Sum(readDigits(item.text, words)) : new Sum();
	let next = isDigits ? first + 1 : first;
	let end = item.end;
	const atoms: Atom[] = [];
	for (;;) {
		const taken = nextAtoms(items, next, plain, words, next > first ? end : null);
		const trial = sum.copy();
		const isAfterDigits = isDigits && atoms.length === 0;
		if (isAfterDigits && taken && !isScaleOf(item.text, taken.atoms)) break;
		// The hour precedes its minutes: التاسعة وعشرون دقيقة.
		if (/^ال.+ه$/.test(item.text) && taken?.atoms[0]?.joined) break;
		if (!taken?.atoms.every((atom) => trial.add(atom, isAfterDigits))) break;
		sum = trial;
		atoms.push(...taken.atoms);
		({ next, end } = taken);
	}
	return { sum, atoms, end, next };
}

/** "3 million", "3500 millones"; but "2004 hundred thousand" is a year and a number. */
function isScaleOf(digits: string, [atom, ...more]: readonly Atom[]): boolean {
	const isLong = /^\d{4,}$/.test(digits);
	return more.length === 0 && atom?.scale !== undefined && (!isLong || atom.scale >= 1e6);
}

/** 5k and "five grand" are sums of money; 4K is a screen resolution, and "two grand hotels" are only two. */
function withThousands(read: readonly number[], after: string): readonly number[] {
	return /^(?:k| grand)(?!\p{L})/u.test(after) ? read.flatMap((number) => [number, number * 1000]) : read;
}

/** "Three point one four", "three point five million". */
function withDecimals(grown: Growing, items: readonly Item[], plain: string, words: Words): Growing {
	const point = decimalsAfter(items, grown.next, plain, words, grown.end);
	if (!point || grown.numbers.length !== 1) return grown;
	const { end, next, decimals } = point;
	let chain = `${grown.numbers[0]}.${decimals}`;
	let more = decimalsAfter(items, next, plain, words, end);
	if (more) {
		let last = more;
		for (; more; more = decimalsAfter(items, more.next, plain, words, more.end)) {
			chain += `.${more.decimals}`;
			last = more;
		}
		return { end: last.end, next: last.next, numbers: [], chain };
	}
	const exact: Growing = { end, next, numbers: [Number(chain)] };
	return scaled(exact, items, plain, words) ?? exact;
}

const PARTS: Readonly<Record<string, number>> = { '½': 0.5, '¼': 0.25, '¾': 0.75, '⅓': 1 / 3, '⅔': 2 / 3 };

/** "2½", "two and a half", "dos millones y medio", "two and a half million", "dos años y medio". */
function withHalf(
	grown: Growing,
	scale: number,
	items: readonly Item[],
	plain: string,
	words: Words,
): Growing {
	const { numbers, end } = grown;
	const part = PARTS[plain[end] ?? ''];
	if (part) return { ...grown, end: end + 1, numbers: numbers.map((number) => number + part) };
	const half = halfAt(end, plain, words);
	if (!half) {
		// A noun may come between. The half may belong to something else: "dos panes y medio kilo".
		const counted = /^ \p{L}+/u.exec(plain.slice(end))?.[0];
		const phrase = counted && halfAt(end + counted.length, plain, words);
		if (!phrase) return grown;
		const more = numbers.map((number) => number + 0.5);
		const rest = plain.slice(end + counted.length + phrase.length + 1);
		// "Deux kilos et demi de riz"; but an hour and a half may be half past one.
		const isSure =
			!/^ (?:heures?|horas?|ساع)/u.test(counted) && /^(?:$|[.,;:!?،。]| (?:d[eu’']|من))/u.test(rest);
		return { ...grown, numbers: isSure ? more : [...numbers, ...more] };
	}
	const more = numbers.map((number) => number + 0.5 * scale);
	const halfEnd = end + half.length + 1;
	let next = grown.next;
	while ((items[next]?.start ?? Number.POSITIVE_INFINITY) < halfEnd) next++;
	const sure: Growing = { end: halfEnd, next, numbers: more };
	const unit = scale >= 1000 ? nextAtoms(items, next, plain, words, halfEnd) : null;
	// "A million and half a million" repeats the scale before its half.
	if (unit?.atoms.length === 1 && unit.atoms[0]?.scale === scale)
		return { end: unit.end, next: unit.next, numbers: more };
	const whole = scaled(sure, items, plain, words);
	// "Las dos y media" is a time, but after a million "and a half" can only be half a million.
	if (!whole && !words.halfIsSure && scale < 1000 && !plain.startsWith(' %', halfEnd))
		return { ...grown, numbers: [...numbers, ...more] };
	return whole ?? sure;
}

/** The words for "and a half" at this position, if any. */
function halfAt(at: number, plain: string, { andHalf }: Words): string | undefined {
	return andHalf.find(
		(phrase) => plain.startsWith(` ${phrase}`, at) && !/^\p{L}/u.test(plain.slice(at + 1 + phrase.length)),
	);
}

function strengthOf(numbers: readonly number[], isWords: boolean, atoms: readonly Atom[]): Strength {
	const [number = 0] = numbers;
	if (number === 1 && numbers.length === 1) return 'loose';
	const isSmall = numbers.length > 0 && Number.isInteger(number) && number <= SMALL;
	// "A hundred times", "a thousand thanks".
	const isRound = atoms.length === 1 && (atoms[0]?.scale !== undefined || number === 100);
	if (isWords && isRound) return 'loose';
	return isWords && isSmall ? 'weak' : 'firm';
}

/** "Deux ou trois cents", "2 to 3 million": the scale of the second number may apply to the first. */
function inRanges(numerals: readonly Numeral[], plain: string): readonly Numeral[] {
	return numerals.map((numeral, index) => {
		const next = numerals[index + 1];
		const [most = 0] = next?.numbers ?? [];
		const [least = 0, ...more] = numeral.numbers;
		const scale = SCALES.find((one) => most % one === 0 && most < one * 1000) ?? 1;
		const isRange = next?.digits === null && scale > 1 && more.length === 0;
		if (!isRange || !RANGE.test(plain.slice(numeral.end, next.start))) return numeral;
		// "From eight to six million" falls.
		const before = plain.slice(Math.max(0, numeral.start - LONGEST_FROM), numeral.start);
		if (least >= most / scale && !(least < scale && FROM.test(before))) return numeral;
		return { ...numeral, numbers: [least, rounded(least * scale)] };
	});
}

/** Length of the longest word in `FROM`, with the following space and the preceding sign. Characters. */
const LONGEST_FROM = 8;
const FROM = /(?<!\p{L})(?:from|von|de|desde|من) $/iu;
const RANGE = /^-? ?(?:-|to|and|or|bis|auf|und|oder|à|et|ou|a|y|o|او|الي)? ?$/u;
const SCALES = [1e12, 1e9, 1e6, 1e3, 100];

/** Separators between digits or letters that are read out one by one. */
const BETWEEN = /^(?:[ \u00a0-]|, ?|، ?)$/u;
const LETTERS =
	/(?<![\p{L}\d.'’/-])([A-Z]) (?:as in|like|for|wie|comme|como|de) \p{Lu}\p{L}+|(?<![\p{L}\d.'’/-])[A-Z]{1,3}(?![\p{L}\d.'’/])/gu;
const OH = /(?<!\p{L})(?:oh?|double|doble|doppel|triple)(?!\p{L})/gu;
const TIMES: Readonly<Record<string, number>> = { double: 2, doble: 2, doppel: 2, triple: 3 };
/** Letters that are words, a unit or a time: alone they are not a code. */
const NO_CODE = /^(?:[AEIOUY]|AM|PM|UM|AN|IN|AT|TO|NO|OK|TV|PC|PS)$/;
const LEAST_SPELLED = 3;

/** A number or letters that may belong to a code. */
interface Token {
	readonly start: number;
	readonly end: number;
	readonly numeral?: Numeral;
	readonly letters?: string;
	/** "B as in Bravo". */
	readonly isSpelled?: boolean;
	/** A zero, or a word for how often the next digit is repeated. */
	readonly small?: string;
}

/** A code read out: "Four seven one two", "zéro six, douze, trente-quatre", "K nine T two", "LH vier". */
function spelledOut(
	numerals: readonly Numeral[],
	plain: string,
	text: string,
	words: Words,
): readonly Numeral[] {
	const tokens: Token[] = numerals.map((numeral) => ({ start: numeral.start, end: numeral.end, numeral }));
	for (const { index, 0: phrase, 1: letter } of text.matchAll(LETTERS)) {
		if (plain[index] === '\u0000' || Object.hasOwn(words.currencies, phrase.toLowerCase())) continue;
		tokens.push({
			start: index,
			end: index + phrase.length,
			letters: letter ?? phrase,
			isSpelled: letter !== undefined,
		});
	}
	for (const { index, 0: small } of plain.matchAll(OH)) {
		if (!/^oh?$/.test(small) || words.point.includes('point'))
			tokens.push({ start: index, end: index + small.length, small });
	}
	tokens.sort((a, b) => a.start - b.start);
	const found: Numeral[] = [];
	for (let at = 0; at < tokens.length; ) {
		let end = at + 1;
		while (end < tokens.length && isNext(tokens[end - 1] as Token, tokens[end] as Token, plain)) end++;
		const run = tokens.slice(at, end);
		const code = codeOf(run);
		found.push(...(code ? [code] : run.flatMap(({ numeral }) => numeral ?? [])));
		at = end;
	}
	return found;
}

function isNext(last: Token, next: Token, plain: string): boolean {
	const between = plain.slice(last.end, next.start);
	// "July fourth, nineteen seventy-six".
	if (plain.slice(last.end - 2, last.end) === 'th') return false;
	if (!BETWEEN.test(between) || [last, next].some(({ numeral }) => numeral && !digitsRead(numeral)))
		return false;
	return (
		!/[,،]/.test(between) ||
		[last, next].every(({ numeral, small, isSpelled }) => isSpelled ?? small ?? numeral?.digits === null)
	);
}

/** The code formed by these tokens; null: they are not a code. */
function codeOf(run: readonly Token[]): Numeral | null {
	const numbers = run.flatMap(({ numeral }) => numeral ?? []);
	const inWords = numbers.filter(({ digits }) => digits === null).length;
	const letters = run.flatMap((token) => token.letters ?? []);
	const isCode =
		letters.length > 0
			? numbers.length > 0 &&
				run[0]?.letters !== undefined &&
				!(run.length === 2 && NO_CODE.test(letters[0] ?? ''))
			: run.length >= LEAST_SPELLED && numbers.length > 1 && (inWords >= 2 || inWords === 0);
	if (!isCode) return null;
	let code = '';
	let times = 1;
	for (const { numeral, letters: some, small } of run) {
		code += numeral ? digitsRead(numeral)?.repeat(times) : (some ?? (TIMES[small ?? ''] ? '' : '0'));
		times = TIMES[small ?? ''] ?? 1;
	}
	const [first, last] = [run[0] as Token, run.at(-1) as Token];
	const number = /^[A-Z]*(\d+)$/.exec(code)?.[1];
	return {
		start: first.start,
		end: last.end,
		numbers: number ? [Number(number)] : [],
		strength: 'firm',
		digits: null,
		spelled: code.toLowerCase(),
	};
}

function digitsRead({ numbers: [number, ...more], digits, clock }: Numeral): string | null {
	if (number === undefined || more.length > 0 || clock) return null;
	if (digits !== null) return /^\d{1,5}$/.test(digits) ? digits : null;
	return Number.isInteger(number) && number <= 99 ? String(number) : null;
}

/** "Nineteen ninety-nine", "thirty-nine ninety-five", "sieben dreißig": a year, a price or a time. */
function inPairs(numerals: readonly Numeral[], plain: string, words: Words): readonly Numeral[] {
	const joined: Numeral[] = [];
	for (const numeral of numerals) {
		const last = joined.at(-1);
		const [high = 0] = last?.numbers ?? [];
		const [low = 0] = numeral.numbers;
		const isPair =
			last &&
			words.pairs &&
			last.digits === null &&
			numeral.digits === null &&
			last.numbers.length === 1 &&
			isWithin(high, 2, 99) &&
			isWithin(low, 10, 99) &&
			Number.isInteger(high) &&
			// "Two fifteen-minute breaks".
			!isCompound(plain, numeral.end) &&
			words.pairs.includes(plain.slice(last.end, numeral.start));
		if (!isPair) {
			joined.push(numeral);
			continue;
		}
		const numbers = [high * 100 + low, rounded(high + low / 100)];
		joined[joined.length - 1] = { ...last, end: numeral.end, numbers, strength: 'firm' };
	}
	return joined;
}

/** "The eighties" are the 1980s, in languages with such a word. */
function inDecades(numerals: readonly Numeral[], plain: string, { decades }: Words): readonly Numeral[] {
	if (!decades) return numerals;
	return numerals.map((numeral) => {
		const [number = 0.5] = numeral.numbers;
		if (number % 10 !== 0 || number < 20) return numeral;
		// "Mitte dreißig" may be 35.
		if (
			number < 100 &&
			/(?<!\p{L})(?:anfang|mitte|ende|early|mid|late)[ -]$/u.test(plain.slice(0, numeral.start))
		)
			return { ...numeral, numbers: withinDecade(number), strength: 'loose' };
		const [before, after] = [
			plain.slice(Math.max(0, numeral.start - 16), numeral.start),
			plain.slice(numeral.end),
		];
		const word = plain.slice(numeral.start, numeral.end);
		const suffix = decades.after.exec(numeral.digits === null ? '' : after)?.[0] ?? '';
		if (suffix === '' && !decades.before.test(before) && !decades.word.test(word)) return numeral;
		return { ...numeral, end: numeral.end + suffix.length, numbers: decadeOf(number) };
	});
}

/** The years and numbers that may name a decade. */
export function decadeOf(number: number): readonly number[] {
	const short = number % 100;
	return number < 100 ? [number, 1900 + number, 2000 + number] : [number, short === 0 ? number : short];
}

/** "In their thirties" means 30 to 39, and "the late seventies" is a decade. */
export function withinDecade(number: number): readonly number[] {
	return [...decadeOf(number), ...Array.from({ length: 9 }, (_, index) => number + index + 1)];
}

function isWithin(number: number, least: number, most: number): boolean {
	return number >= least && number <= most;
}
