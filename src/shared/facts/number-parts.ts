import type { Atom } from './sum.ts';
import type { Words } from './words/words.ts';

/** "siebenhundertsiebenundsiebzigtausendsiebenhundertsiebenundsiebzig" has 66 letters. */
const LONGEST_WORD = 100;

/** A run of digits, or a word. */
export type Item =
	| { readonly is: 'digits'; readonly start: number; readonly end: number; readonly text: string }
	| { readonly is: 'word'; readonly start: number; readonly end: number; readonly text: string };

/** The digits and words of a text, without spaces and punctuation. */
export function itemsOf(plain: string): readonly Item[] {
	const items: Item[] = [];
	const word = /\p{L}[\p{L}\p{M}]*/uy;
	const clock = /(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?!\d)/y;
	for (let at = 0; at < plain.length; ) {
		word.lastIndex = clock.lastIndex = DIGITS.lastIndex = at;
		const time = isFree(plain, at) ? clock.exec(plain)?.[0] : undefined;
		const digits = time ?? DIGITS.exec(plain)?.[0];
		if (digits) {
			if (isFree(plain, at)) items.push({ is: 'digits', start: at, end: at + digits.length, text: digits });
			else items.push({ is: 'word', start: at, end: at + digits.length, text: digits });
			at += digits.length;
			continue;
		}
		const letters = word.exec(plain)?.[0];
		if (letters)
			items.push({ is: 'word', start: at, end: at + letters.length, text: letters.replace(/\p{M}/gu, '') });
		at += letters?.length ?? 1;
	}
	return items;
}

/** Whether digits are not part of a name such as `G7`, `COVID-19`, `mp3`; `14h30` is not a name. */
function isFree(plain: string, at: number): boolean {
	const before = plain.slice(Math.max(0, at - 3), at);
	return /\dh$/.test(before) || !/(?:\p{Script=Latin}|\p{Script=Latin}-|\d)$/u.test(before);
}

/** The elements of a number in the next word or words; null if there are none. */
export function nextAtoms(
	items: readonly Item[],
	at: number,
	plain: string,
	words: Words,
	after: number | null,
) {
	let item = items[at];
	let next = at;
	let and = false;
	let from = after;
	if (item && from !== null && words.and.includes(item.text) && isJoined(plain, from, item.start)) {
		from = item.end;
		and = true;
		next++;
		item = items[next];
	}
	if (item?.is !== 'word' || (from !== null && !isJoined(plain, from, item.start))) return null;
	const two = items[next + 1];
	if (two?.is === 'word' && isJoined(plain, item.end, two.start)) {
		const atoms = atomsOf(`${item.text} ${two.text}`, words);
		if (atoms) return { atoms: withAnd(atoms, and), next: next + 2, end: two.end };
	}
	const atoms = atomsOf(item.text, words);
	return atoms && { atoms: withAnd(atoms, and), next: next + 1, end: item.end };
}

function withAnd(atoms: readonly Atom[], and: boolean): readonly Atom[] {
	return and ? atoms.map((atom, index) => (index === 0 ? { ...atom, and } : atom)) : atoms;
}

/** Whether only a space or a hyphen separates them. */
function isJoined(plain: string, end: number, start: number): boolean {
	return start - end <= 1 && /^[ \u00a0-]?$/u.test(plain.slice(end, start));
}

function atomsOf(word: string, words: Words): readonly Atom[] | null {
	const known = atomOf(word, words);
	if (known) return [known];
	if (words.glued) return ungluedAtoms(word, words);
	for (const prefix of words.prefixes ?? []) {
		if (!word.startsWith(prefix)) continue;
		const atom = atomOf(word.slice(prefix.length), words);
		const and = prefix.startsWith('و');
		if (atom) return [{ ...atom, and, joined: and }];
	}
	return null;
}

function atomOf(word: string, { numbers, scales }: Words): Atom | null {
	if (Object.hasOwn(numbers, word)) return { value: numbers[word] as number };
	return Object.hasOwn(scales, word) ? { scale: scales[word] as number } : null;
}

/** Splits a number written as one word: `zweihundertvierunddreißig`, and `einundzwanzigsten`. */
function ungluedAtoms(word: string, words: Words): readonly Atom[] | null {
	if (word.length > LONGEST_WORD) return null;
	const atoms: Atom[] = [];
	let rest = word.replace(/(?<=zig|ßig|hundert|tausend)ste[nr]?$|(?<=..)mal$/u, '');
	while (rest !== '') {
		let length = rest.length;
		while (length > 2 && !atomOf(rest.slice(0, length), words)) length--;
		const atom = length > 2 ? atomOf(rest.slice(0, length), words) : null;
		if (!atom) return null;
		atoms.push(atom);
		rest = rest.slice(length).replace(/^und(?=.)/u, '');
	}
	return atoms.length > 0 ? atoms : null;
}

/** "Three POINT one four": the digits after the point. */
export function decimalsAfter(items: readonly Item[], at: number, plain: string, words: Words, end: number) {
	const point = items[at];
	if (!point || !words.point.includes(point.text) || plain.slice(end, point.start) !== ' ') return null;
	let decimals = '';
	let next = at + 1;
	let upTo = point.end;
	for (;;) {
		const item = items[next];
		if (!item || plain.slice(upTo, item.start) !== ' ') break;
		const value = item.is === 'digits' ? Number(item.text) : words.numbers[item.text];
		if (value === undefined || !Number.isInteger(value) || value > 99) break;
		decimals += String(value);
		next++;
		upTo = item.end;
		if (value > 9) break;
	}
	return decimals === '' ? null : { decimals, next, end: upTo };
}

/** Digits with their possible separators. */
export const DIGITS = /(?:\d{1,3}(?:[ \u00a0]\d{3}(?!\d))+|\d+)(?:[.,'’٫٬]\d+)*/uy;

/** Possible values of digits: two if points and commas are both in use; none for versions and the like. */
export function readDigits(digits: string, { decimal }: Pick<Words, 'decimal'>): readonly number[] {
	const bare = digits.replace(/(?<=\d)['’٬\u00a0 ](?=\d{3}(?!\d))/gu, '');
	// `٫` is a decimal mark in every language, so the other marks separate thousands.
	if (bare.includes('٫')) return numbers(bare.replace(/[.,]/g, '').replace('٫', '.'));
	const points = bare.split('.').length - 1;
	const commas = bare.split(',').length - 1;
	if (points + commas === 0) return numbers(bare);
	if (points > 0 && commas > 0) {
		const last = bare.lastIndexOf('.') > bare.lastIndexOf(',') ? '.' : ',';
		const other = last === '.' ? ',' : '.';
		if (bare.split(last).length > 2 || bare.lastIndexOf(other) > bare.indexOf(last)) return [];
		return numbers(bare.replaceAll(other, '').replace(last, '.'));
	}
	const mark = points > 0 ? '.' : ',';
	const parts = bare.split(mark);
	const grouped = parts.slice(1).every((part) => part.length === 3) && /^[1-9]\d{0,2}$/.test(parts[0] ?? '');
	// As in India: 1,00,000.
	const isIndian = mark === ',' && /^\d{1,2}(?:,\d{2})+,\d{3}$/.test(bare);
	if (parts.length > 2) return grouped || isIndian ? numbers(parts.join('')) : [];
	const asDecimal = bare.replace(mark, '.');
	if (!grouped) return numbers(asDecimal);
	if (decimal === 'both') return numbers(parts.join(''), asDecimal);
	return decimal === mark ? numbers(asDecimal) : numbers(parts.join(''));
}

function numbers(...texts: readonly string[]): readonly number[] {
	return texts.map(Number).filter(Number.isFinite);
}
