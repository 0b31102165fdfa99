import type { Strength } from './fact.ts';
import { decimalsAfter, type Item, itemsOf, nextAtoms } from './number-parts.ts';
import { readDigits } from './read-digits.ts';
import { type Atom, rounded, Sum } from './sum.ts';
import type { Words } from './words/words.ts';

/** A number in a text. */
export interface Numeral {
	readonly start: number;
	readonly end: number;
	/** Possible values; none: a version or the like. */
	readonly numbers: readonly number[];
	readonly strength: Strength;
	/** As written, if in digits. */
	readonly digits: string | null;
	/** The digits of a number that is read out in parts: "oh six, twelve, thirty-four". */
	readonly spelled?: string;
	/** It is written as a time, `14:30`. */
	readonly clock?: { readonly hours: number; readonly minutes: number };
}

/** Numbers up to this, in words, are as easily omitted from a translation as added. */
const SMALL = 12;

/** The numbers of a text, in digits and in words, as `plainOf` gives it. */
export function numeralsIn(plain: string, words: Words): readonly Numeral[] {
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
	return inDecades(inPairs(spelledOut(roughly(found, plain), plain, words), plain, words), plain, words);
}

interface Group {
	readonly numeral: Numeral;
	/** Index of the item after it. */
	readonly next: number;
}

/** A number as it grows from one item to the next. */
interface Growing {
	readonly end: number;
	readonly next: number;
	readonly numbers: readonly number[];
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
	let grown: Growing = { end, next, numbers: sum.values() };
	grown = withDecimals(grown, items, plain, words);
	grown = withHalf(grown, sum.lastScale(), items, plain, words);
	const strength = strengthOf(grown.numbers, digits === null, atoms);
	const isDigitsAlone = atoms.length === 0;
	return {
		numeral: {
			start: item.start,
			end: grown.end,
			numbers: grown.numbers,
			strength,
			digits: isDigitsAlone ? digits : null,
		},
		next: grown.next,
	};
}

/** "Half a million", "medio millón". */
function readHalf(items: readonly Item[], first: number, plain: string, words: Words): Group | null {
	const start = items[first]?.start ?? 0;
	for (const phrase of words.half ?? []) {
		if (!plain.startsWith(phrase, start)) continue;
		const half = { end: start + phrase.length, next: first + phrase.split(' ').length, numbers: [0.5] };
		const whole = scaled(half, items, plain, words);
		if (!whole) continue;
		const { end, next, numbers } = whole;
		return { numeral: { start, end, numbers, strength: 'firm', digits: null }, next };
	}
	return null;
}

/** With the scale that follows, as in "two and a half million"; null: none does. */
function scaled(grown: Growing, items: readonly Item[], plain: string, words: Words): Growing | null {
	const taken = nextAtoms(items, grown.next, plain, words, grown.end);
	const [atom, ...more] = taken?.atoms ?? [];
	const scale = more.length === 0 && !atom?.and ? atom?.scale : undefined;
	if (!taken || !scale) return null;
	const numbers = grown.numbers.map((number) => rounded(number * scale));
	return { end: taken.end, next: taken.next, numbers };
}

/** Sums as many items as form one number. */
function summed(items: readonly Item[], first: number, plain: string, words: Words) {
	const item = items[first] as Item;
	const isDigits = item.is === 'digits';
	let sum = isDigits ? new Sum(digitsWithK(item, plain, words)) : new Sum();
	let next = isDigits ? first + 1 : first;
	let end = item.end;
	const atoms: Atom[] = [];
	for (;;) {
		const taken = nextAtoms(items, next, plain, words, next > first ? end : null);
		const trial = sum.copy();
		const isAfterDigits = isDigits && atoms.length === 0;
		if (isAfterDigits && taken && !isScaleOf(item.text, taken.atoms)) break;
		if (!taken?.atoms.every((atom) => trial.add(atom, isAfterDigits))) break;
		sum = trial;
		atoms.push(...taken.atoms);
		({ next, end } = taken);
	}
	return { sum, atoms, end, next };
}

/** "3 million", "3500 millones"; not "2004 hundred thousand", which is a year and a number. */
function isScaleOf(digits: string, [atom, ...more]: readonly Atom[]): boolean {
	const isLong = /^\d{4,}$/.test(digits);
	return more.length === 0 && atom?.scale !== undefined && (!isLong || atom.scale >= 1e6);
}

/** 5k is a sum of money, 4K a screen resolution. */
function digitsWithK({ text, end }: Item, plain: string, words: Words): readonly number[] {
	const read = readDigits(text, words);
	const isThousands = /^k(?!\p{L})/u.test(plain.slice(end, end + 2));
	return isThousands ? read.flatMap((number) => [number, number * 1000]) : read;
}

/** "Three point one four", "three point five million". */
function withDecimals(grown: Growing, items: readonly Item[], plain: string, words: Words): Growing {
	const point = decimalsAfter(items, grown.next, plain, words, grown.end);
	if (!point || grown.numbers.length !== 1) return grown;
	const { end, next, decimals } = point;
	const exact: Growing = { end, next, numbers: [Number(`${grown.numbers[0]}.${decimals}`)] };
	return scaled(exact, items, plain, words) ?? exact;
}

/** "Two and a half", "dos millones y medio", "two and a half million", "dos años y medio". */
function withHalf(
	grown: Growing,
	scale: number,
	items: readonly Item[],
	plain: string,
	words: Words,
): Growing {
	const { numbers, end } = grown;
	const half = halfAt(end, plain, words);
	if (!half) {
		// What is counted may stand between. The half may be of something else: "dos panes y medio kilo".
		const counted = /^ \p{L}+/u.exec(plain.slice(end))?.[0];
		if (!counted || !halfAt(end + counted.length, plain, words)) return grown;
		return { ...grown, numbers: [...numbers, ...numbers.map((number) => number + 0.5)] };
	}
	const more = numbers.map((number) => number + 0.5 * scale);
	const halfEnd = end + half.length + 1;
	let next = grown.next;
	while ((items[next]?.start ?? Number.POSITIVE_INFINITY) < halfEnd) next++;
	const sure: Growing = { end: halfEnd, next, numbers: more };
	const whole = scaled(sure, items, plain, words);
	// "Las dos y media" is a time, but after a million "and a half" can only be half a million.
	if (!whole && !words.halfIsSure && scale < 1000) return { ...grown, numbers: [...numbers, ...more] };
	return whole ?? sure;
}

/** "And a half", where it stands there. */
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

/** "Deux ou trois cents": some hundreds, which another language need not count. */
function roughly(numerals: readonly Numeral[], plain: string): readonly Numeral[] {
	const rough = new Set<Numeral>();
	for (const [index, numeral] of numerals.entries()) {
		const next = numerals[index + 1];
		const isWords = next?.digits === null && numeral.digits === null;
		if (!isWords || !/^ (?:ou|or|oder|o|او) $/u.test(plain.slice(numeral.end, next.start))) continue;
		if ((numeral.numbers[0] ?? 0) < 10 && (next.numbers[0] ?? 0) >= 100) rough.add(numeral).add(next);
	}
	return numerals.map((numeral) => (rough.has(numeral) ? { ...numeral, strength: 'loose' } : numeral));
}

/** Between numbers that are read out one after another; an "oh" is a zero. */
const BETWEEN_DIGITS = /^(?: |, ?|، ?|-)(?:(?:oh|o)(?: |, ?|-))?$/u;
/** A telephone number has up to 15 digits. */
const LEAST_SPELLED = 3;

/** "Four seven one two" and "zéro six, douze, trente-quatre": at least three, most of them words. */
function spelledOut(numerals: readonly Numeral[], plain: string, words: Words): readonly Numeral[] {
	const found: Numeral[] = [];
	for (let at = 0; at < numerals.length; ) {
		let end = at + 1;
		let digits = digitsRead(numerals[at] as Numeral);
		if (digits !== null && isOhBefore(plain, numerals[at] as Numeral, words)) digits = `0${digits}`;
		while (digits !== null && end < numerals.length) {
			const [last, next] = [numerals[end - 1] as Numeral, numerals[end] as Numeral];
			const between = plain.slice(last.end, next.start);
			const more = BETWEEN_DIGITS.test(between) ? digitsRead(next) : null;
			if (more === null) break;
			digits += (/o/.test(between) ? '0' : '') + more;
			end++;
		}
		const run = numerals.slice(at, end);
		const first = run[0] as Numeral;
		const isSpelled =
			run.length >= LEAST_SPELLED && run.filter((numeral) => numeral.digits === null).length >= 2;
		if (isSpelled && digits !== null)
			found.push({
				start: first.start,
				end: (run.at(-1) as Numeral).end,
				numbers: [],
				strength: 'firm',
				digits: null,
				spelled: digits,
			});
		else found.push(...run);
		at = end;
	}
	return found;
}

function isOhBefore(plain: string, { start }: Numeral, words: Words): boolean {
	return (
		words.point.includes('point') && /(?<!\p{L})oh?,? $/u.test(plain.slice(Math.max(0, start - 5), start))
	);
}

function digitsRead({ numbers: [number, ...more], digits, clock }: Numeral): string | null {
	if (number === undefined || more.length > 0 || clock) return null;
	return Number.isInteger(number) && number <= 99 ? (digits ?? String(number)) : null;
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

/** "The eighties" are the 1980s, wherever a language says so. */
function inDecades(numerals: readonly Numeral[], plain: string, { decades }: Words): readonly Numeral[] {
	if (!decades) return numerals;
	return numerals.map((numeral) => {
		const [number = 0.5] = numeral.numbers;
		if (number % 10 !== 0 || number < 20) return numeral;
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

function decadeOf(number: number): readonly number[] {
	const short = number % 100;
	return number < 100 ? [number, 1900 + number, 2000 + number] : [number, short === 0 ? number : short];
}

function isWithin(number: number, least: number, most: number): boolean {
	return number >= least && number <= most;
}
