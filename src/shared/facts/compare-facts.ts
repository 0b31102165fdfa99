import { amountOf, isMeasure } from './cues.ts';
import type { Day, Fact } from './fact.ts';
import { plainOf } from './plain.ts';

/** `same`: found on the other side. `missing`: nothing like it there. `differs`: something else is in its place. */
export type Verdict = 'same' | 'missing' | 'differs';

export interface Judged {
	readonly fact: Fact;
	readonly verdict: Verdict;
}

/** Fewer may be the same by chance. */
const LEAST_DIGITS = 5;

export interface Compared {
	readonly said: readonly Judged[];
	readonly translated: readonly Judged[];
}

/**
 * Finds the counterpart of each fact of a sentence in the translation. When unsure, they count as the same: wrong amber
 * marks teach people to overlook the right ones.
 */
export function compareFacts(said: readonly Fact[], translated: readonly Fact[]): Compared {
	const left = [...said];
	const right = [...translated];
	const verdicts = new Map<Fact, Verdict>();
	markOpposites(said, translated, verdicts);
	markSwaps(said, translated, verdicts);
	const pairs = [...pair(left, right, isSame), ...pair(left, right, isNearlySame)];
	for (const [one, other] of pairs) {
		if (!isUnitLost(one, other, translated) && !isUnitLost(other, one, said)) continue;
		verdicts.set(one, 'differs');
		verdicts.set(other, 'differs');
	}
	bySeveral(left, right);
	bySeveral(right, left);
	inOtherGroups(left, right);
	joinNeighbours(left, right);
	joinNeighbours(right, left);
	dropSpelled(left, right);
	dropSpelled(right, left);
	pair(left, right, isConverted);
	drop(left, (fact) => isHinted(fact, translated));
	drop(right, (fact) => isHinted(fact, said));
	if (left.length === 0) drop(right, (fact) => isRepeated(fact, translated));
	if (right.length === 0) drop(left, (fact) => isRepeated(fact, said));
	judge(left, right, verdicts);
	return { said: judged(said, verdicts), translated: judged(translated, verdicts) };
}

/** The facts of one side with their verdicts, in order, without weak ones that are right. */
function judged(facts: readonly Fact[], verdicts: ReadonlyMap<Fact, Verdict>): readonly Judged[] {
	return facts.flatMap((fact) => {
		const verdict = verdicts.get(fact) ?? 'same';
		return fact.strength === 'firm' || verdict !== 'same' ? [{ fact, verdict }] : [];
	});
}

/** Takes facts that belong together out of both lists, and returns them. */
function pair(left: Fact[], right: Fact[], isPair: (a: Fact, b: Fact) => boolean): readonly [Fact, Fact][] {
	const pairs: [Fact, Fact][] = [];
	for (let at = 0; at < left.length; ) {
		const one = left[at] as Fact;
		const other = right.findIndex((candidate) => isPair(one, candidate));
		if (other < 0) {
			at++;
			continue;
		}
		left.splice(at, 1);
		pairs.push([one, right.splice(other, 1)[0] as Fact]);
	}
	return pairs;
}

/** Morning where the other side says evening, noon for midnight, half for a third. */
function markOpposites(
	said: readonly Fact[],
	translated: readonly Fact[],
	verdicts: Map<Fact, Verdict>,
): void {
	for (const dimension of DIMENSIONS) {
		const valued = [said, translated].map((facts) =>
			facts.flatMap((fact) => {
				return valuesIn(dimension, fact).map((value) => ({ fact, value }));
			}),
		);
		const [here = [], there = []] = valued;
		if (here.length === 0 || there.length === 0) continue;
		if (here.some(({ value }) => there.some((other) => other.value === value))) continue;
		for (const { fact } of [...here, ...there]) verdicts.set(fact, 'differs');
	}
}

const DIMENSIONS = ['day', 'noon', 'fraction', 'month'] as const;

/** What a fact certainly says of the part of the day, of noon or midnight, of a month, or as a fraction. */
function valuesIn(dimension: (typeof DIMENSIONS)[number], { cue, time, days = [] }: Fact): readonly string[] {
	if (dimension === 'month') return days.flatMap(({ month }) => (month ? [String(month)] : []));
	if (cue) return cue.dimension === dimension ? [cue.value] : [];
	if (!time?.sure || dimension === 'fraction') return [];
	const minutes = time.minutes % 1440;
	if (dimension === 'noon') return minutes === 720 ? ['noon'] : minutes === 0 ? ['midnight'] : [];
	// The hours after midnight and noon are called either.
	if (minutes < 60 || (minutes >= 720 && minutes < 780)) return [];
	return [minutes < 720 ? 'am' : 'pm'];
}

/** "From 40 to 60" against "de 60 a 40", and "room 12 on floor 8" against "room 8 on floor 12". */
function markSwaps(said: readonly Fact[], translated: readonly Fact[], verdicts: Map<Fact, Verdict>): void {
	const isOne = (a: Fact, b: Fact) => isNearlySame(withoutContext(a), withoutContext(b));
	const mark = (...facts: readonly Fact[]) => {
		for (const fact of facts) verdicts.set(fact, 'differs');
	};
	const ranges = (facts: readonly Fact[]) =>
		facts.flatMap((from) => {
			const to = facts.find((other) => other.start === from.upTo);
			return to && !isOne(from, to) ? [[from, to] as const] : [];
		});
	for (const [from, to] of ranges(said)) {
		for (const [first, last] of ranges(translated)) {
			const isReversed = isOne(from, last) && isOne(to, first);
			if (isReversed && !isOne(from, first) && !isOne(to, last)) mark(from, to, first, last);
		}
	}
	for (const one of said) {
		const [other, ...more] = translated.filter(({ label }) => label !== undefined && label === one.label);
		const isAlone = said.filter(({ label }) => label === one.label).length === 1;
		if (!other || more.length > 0 || !isAlone || isOne(one, other) || isMeasure(one)) continue;
		const isElsewhere = translated.some((fact) => fact !== other && isOne(fact, one));
		const isOtherElsewhere = said.some((fact) => fact !== one && isOne(fact, other));
		if (isElsewhere && isOtherElsewhere) mark(one, other);
	}
}

/** The bare value of a fact. */
function withoutContext({ sign: _, label: __, ...fact }: Fact): Fact {
	return fact.strength === 'loose' && !fact.cue ? { ...fact, strength: 'weak' } : fact;
}

/** A percentage or sum whose number alone is on the other side, which has no such unit anywhere. */
function isUnitLost({ unit }: Fact, other: Fact, others: readonly Fact[]): boolean {
	if (!unit || unit === 'pound' || other.unit !== undefined || other.kind !== 'number') return false;
	if (other.literal !== undefined || other.measure !== undefined || other.numbers.length > 1) return false;
	return unit === '%'
		? !others.some((fact) => fact.unit === '%' || fact.cue?.dimension === 'fraction')
		: !others.some((fact) => fact.unit !== undefined && fact.unit !== '%');
}

/**
 * Digits that were read out. Where the other side has neither the same digits nor as many, they are not understood, and
 * no number is in doubt.
 */
function dropSpelled(from: Fact[], others: Fact[]): void {
	for (const one of from.filter(({ spelled }) => spelled)) {
		const digits = one.literal ?? '';
		const numeric = others.filter(({ kind }) => kind === 'number' || kind === 'phone');
		const isAll = withoutZeros(numeric.map(digitsOf).join('')) === digits;
		if (!isAll && numeric.some((other) => withoutZeros(digitsOf(other)).length === digits.length)) continue;
		drop(from, (fact) => fact === one);
		drop(others, (fact) => numeric.includes(fact));
	}
}

function digitsOf({ literal, text, numbers: [number], kind, spelled }: Fact): string {
	if (kind === 'phone' || spelled) return literal ?? '';
	return /\d/.test(text) ? plainOf(text).replace(/\D/g, '') : String(number ?? '');
}

/** 68 degrees Fahrenheit, and 20 degrees Celsius. */
function isConverted(a: Fact, b: Fact): boolean {
	return a.measure !== undefined && b.measure !== undefined && a.measure !== b.measure;
}

function isSame(a: Fact, b: Fact): boolean {
	return a.kind === b.kind && a.strength !== 'loose' && b.strength !== 'loose' && isNearlySame(a, b);
}

function isNearlySame(a: Fact, b: Fact): boolean {
	if (a.cue && b.cue) return false;
	if ((a.sign === 'minus' && !b.sign) || (b.sign === 'minus' && !a.sign)) return false;
	if ((a.literal ?? b.literal) !== undefined) return isSameLiteral(a, b);
	if (a.strength === 'loose' && b.strength === 'loose') return false;
	if (a.days && b.days) return a.days.some((one) => (b.days ?? []).some((other) => isSameDay(one, other)));
	if (a.time && b.time) return isSameTime(a.time, b.time);
	if (a.time || b.time) return isTimeAsNumber(a, b) || isTimeAsNumber(b, a);
	return isSameAmount(a, b);
}

function isSameLiteral(a: Fact, b: Fact): boolean {
	if (a.kind === 'phone' && b.kind === 'phone') return isSamePhone(a.literal ?? '', b.literal ?? '');
	if (a.spelled || b.spelled) return isSamePhone(withoutZeros(digitsOf(a)), withoutZeros(digitsOf(b)));
	return a.literal === b.literal || isDigits(a, b) || isDigits(b, a) || isCodeApart(a, b);
}

function isSameAmount(a: Fact, b: Fact): boolean {
	if (a.unit && b.unit && a.unit !== b.unit && !isPounds(a, b)) return false;
	if (a.days || b.days) return false;
	const [one, other] = [amountOf(a), amountOf(b)];
	if (one && other)
		return one.family === other.family && one.amounts.some((amount) => other.amounts.includes(amount));
	return a.numbers.some((number) => b.numbers.includes(number));
}

function withoutZeros(digits: string): string {
	return digits.replace(/^0+/, '');
}

/** Pounds of any kind: sterling, or a weight. */
function isPounds({ unit }: Fact, { unit: other }: Fact): boolean {
	return [unit, other].includes('pound') && [unit, other].includes('gbp');
}

/** With or without the country code. */
function isSamePhone(a: string, b: string): boolean {
	return a === b || (Math.min(a.length, b.length) >= 7 && (a.endsWith(b) || b.endsWith(a)));
}

/** A telephone number that the other language wrote without gaps. */
function isDigits({ kind, literal }: Fact, { numbers, text }: Fact): boolean {
	return kind === 'phone' && numbers.length > 0 && isSamePhone(literal ?? '', text.replace(/\D/g, ''));
}

/** `LH455` and "LH 455". */
function isCodeApart(a: Fact, b: Fact): boolean {
	const isOne = a.literal === undefined || b.literal === undefined;
	return isOne && a.numbers.some((number) => b.numbers.includes(number));
}

function isSameDay(a: Day, b: Day): boolean {
	const keys = ['year', 'month', 'day', 'weekday'] as const;
	const both = keys.filter((key) => a[key] !== undefined && b[key] !== undefined);
	return both.length > 0 && both.every((key) => a[key] === b[key]);
}

function isSameTime(a: NonNullable<Fact['time']>, b: NonNullable<Fact['time']>): boolean {
	const day = a.sure && b.sure ? 1440 : 720;
	return a.minutes % day === b.minutes % day;
}

/** "Two" and "14 h" for two o'clock, 1430 and 14.5 for half past. */
function isTimeAsNumber({ time }: Fact, { numbers }: Fact): boolean {
	if (!time) return false;
	const [hours, minutes] = [Math.floor(time.minutes / 60) % 24, time.minutes % 60];
	const isIt = (hour: number) =>
		numbers.includes(hour + minutes / 60) ||
		numbers.includes(hour * 100 + minutes) ||
		numbers.includes(hour + minutes / 100);
	// Midnight is 0, 12 or 24, and "las 24 horas" may be a whole day.
	if (hours === 0) return [0, 12, 24].some(isIt);
	return (
		isIt(hours) || (!time.sure || hours > 12 ? isIt((hours + 12) % 24) || isIt(hours % 12 || 12) : false)
	);
}

/** "70 4582" and "704582": the same digits, in other groups. */
function inOtherGroups(left: Fact[], right: Fact[]): void {
	const [here, there] = [left.filter(isInDigits), right.filter(isInDigits)];
	const digits = (facts: readonly Fact[]) => facts.map(({ numbers }) => numbers[0] ?? '').join('');
	if (digits(here).length < LEAST_DIGITS || digits(here) !== digits(there)) return;
	drop(left, (fact) => here.includes(fact));
	drop(right, (fact) => there.includes(fact));
}

/** "40 21" on one side, 4021 on the other. */
function joinNeighbours(from: Fact[], others: Fact[]): void {
	for (const whole of others.filter(isInDigits)) {
		const digits = plainOf(whole.text).replace(/\D/g, '');
		for (const first of from.filter(isInDigits)) {
			const run = [first];
			let joined = plainOf(first.text);
			for (;;) {
				const next = from.find(({ start }) => start === (run.at(-1) as Fact).end + 1);
				if (!next || !isInDigits(next) || joined.length >= digits.length) break;
				run.push(next);
				joined += plainOf(next.text);
			}
			if (run.length < 2 || joined !== digits) continue;
			drop(from, (fact) => run.includes(fact));
			drop(others, (fact) => fact === whole);
			break;
		}
	}
}

function isInDigits({ kind, strength, text }: Fact): boolean {
	return kind === 'number' && strength === 'firm' && /\d/.test(text);
}

/** A date, a time or a sum whose numbers stand separately on the other side. */
function bySeveral(from: Fact[], others: Fact[]): void {
	for (let at = 0; at < from.length; ) {
		const used = others.length > 0 ? partsAmong(partsOf(from[at] as Fact), others) : null;
		if (!used) {
			at++;
			continue;
		}
		from.splice(at, 1);
		for (const one of used) others.splice(others.indexOf(one), 1);
	}
}

function partsOf({ days, time, kind, numbers }: Fact): readonly (readonly number[])[] {
	const [day] = days ?? [];
	if (day) {
		if (day.weekday !== undefined) return [];
		// A month by its name has no number.
		return [day.year, day.day].flatMap((part) => (part === undefined ? [] : [[part]]));
	}
	if (time) {
		const hours = Math.floor(time.minutes / 60);
		const minutes = time.minutes % 60;
		return [[hours, (hours + 12) % 24, hours % 12 || 12], ...(minutes > 0 ? [[minutes]] : [])];
	}
	const [number = 0] = numbers;
	if ((kind !== 'money' && kind !== 'number') || Number.isInteger(number)) return [];
	// 1.40 metres are "1 metre 40", 38.5 degrees 38度5分.
	const whole = Math.floor(number);
	const hundredths = Math.round(number * 100) - whole * 100;
	return [[whole], hundredths % 10 === 0 ? [hundredths, hundredths / 10] : [hundredths]];
}

function partsAmong(parts: readonly (readonly number[])[], others: readonly Fact[]): readonly Fact[] | null {
	if (parts.length === 0) return null;
	const used: Fact[] = [];
	for (const part of parts) {
		const found = others.find(
			(other) =>
				!used.includes(other) &&
				!other.days &&
				(other.strength !== 'loose' || other.text === '1') &&
				other.numbers.some((number) => part.includes(number)),
		);
		if (!found) return null;
		used.push(found);
	}
	return used;
}

/** A word on the other side may mean it: "half", "both", "week". */
function isHinted(fact: Fact, others: readonly Fact[]): boolean {
	const hints = others.filter(({ strength }) => strength === 'loose');
	const isSpoken = (hint: Fact) => hint.kind === 'email' && (fact.kind === 'email' || fact.kind === 'web');
	return fact.strength === 'loose' || hints.some((hint) => isSpoken(hint) || isNearlySame(fact, hint));
}

/** It occurred earlier in the same sentence, and that occurrence has a counterpart. */
function isRepeated(fact: Fact, own: readonly Fact[]): boolean {
	return own.some((other) => other !== fact && other.start < fact.start && isSame(other, fact));
}

function drop(facts: Fact[], isDone: (fact: Fact) => boolean): void {
	for (const fact of [...facts]) if (isDone(fact)) facts.splice(facts.indexOf(fact), 1);
}

function judge(left: readonly Fact[], right: readonly Fact[], verdicts: Map<Fact, Verdict>): void {
	const firm = { left: left.filter(isFirm), right: right.filter(isFirm) };
	const weak = { left: left.filter(isWeak), right: right.filter(isWeak) };
	// Equally many small numbers on both sides, but different ones: one replaced another.
	const isSwapped = weak.left.length > 0 && weak.left.length === weak.right.length;
	const marked = {
		left: [...firm.left, ...(isSwapped || firm.right.length > 0 ? weak.left : [])],
		right: [...firm.right, ...(isSwapped || firm.left.length > 0 ? weak.right : [])],
	};
	for (const fact of marked.left) verdicts.set(fact, marked.right.length > 0 ? 'differs' : 'missing');
	for (const fact of marked.right) verdicts.set(fact, marked.left.length > 0 ? 'differs' : 'missing');
}

function isFirm({ strength }: Fact): boolean {
	return strength === 'firm';
}

function isWeak({ strength }: Fact): boolean {
	return strength === 'weak';
}
