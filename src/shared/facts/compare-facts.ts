import { amountOf, isMeasure, isPartOf, isUnit } from './cues.ts';
import type { Day, Fact } from './fact.ts';
import { plainOf } from './plain.ts';

/**
 * `same`: found on the other side. `missing`: nothing similar there. `differs`: another value is in its place.
 */
export type Verdict = 'same' | 'missing' | 'differs';

export interface Judged {
	readonly fact: Fact;
	readonly verdict: Verdict;
}

export interface Compared {
	readonly said: readonly Judged[];
	readonly translated: readonly Judged[];
}

/** Finds each fact's counterpart in the translation. Facts in doubt match, to avoid wrong amber marks. */
export function compareFacts(said: readonly Fact[], translated: readonly Fact[]): Compared {
	const left = [...said];
	const right = [...translated];
	const verdicts = new Map<Fact, Verdict>();
	markOpposites(said, translated, verdicts);
	markSwaps(said, translated, verdicts);
	const pairs = [...pair(left, right, isSame), ...pair(left, right, isNearlySame)];
	for (const [one, other] of pairs) {
		const isOtherUnit = isOtherMeasure(one, other) || isOtherMeasure(other, one);
		if (!isOtherUnit && !isUnitLost(one, other, translated) && !isUnitLost(other, one, said)) continue;
		verdicts.set(one, 'differs');
		verdicts.set(other, 'differs');
	}
	bySeveral(left, right);
	bySeveral(right, left);
	dropSpelled(left, right);
	dropSpelled(right, left);
	pair(left, right, isConverted);
	const [ours, theirs] = [left, right].map((facts) => facts.filter(({ strength }) => strength !== 'loose'));
	// If one number remains on each side, no word that may stand for a number explains either of them.
	const alone = [...(ours ?? []), ...(theirs ?? [])];
	if (ours?.length === 1 && alone.length === 2 && alone.every(({ kind }) => kind === 'number'))
		for (const fact of alone) verdicts.set(fact, 'differs');
	drop(left, (fact) => isHinted(fact, translated));
	drop(right, (fact) => isHinted(fact, said));
	if (left.length === 0) drop(right, (fact) => isRepeated(fact, translated));
	if (right.length === 0) drop(left, (fact) => isRepeated(fact, said));
	judge(left, right, verdicts);
	return { said: judged(said, verdicts), translated: judged(translated, verdicts) };
}

/** The facts of one side with their verdicts, in order, without weak facts that match. */
function judged(facts: readonly Fact[], verdicts: ReadonlyMap<Fact, Verdict>): readonly Judged[] {
	return facts.flatMap((fact) => {
		const verdict = verdicts.get(fact) ?? 'same';
		return fact.strength === 'firm' || verdict !== 'same' ? [{ fact, verdict }] : [];
	});
}

/** Removes facts that belong together from both lists, and returns them. */
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

/** Finds opposites: morning for evening, noon for midnight, half for a third. */
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

const DIMENSIONS = [
	'day',
	'noon',
	'fraction',
	'month',
	'when',
	'rank',
	'north',
	'east',
	'rate',
	'letter',
] as const;

/** The values of a fact that are certain: part of the day, noon or midnight, month, or fraction. */
function valuesIn(dimension: (typeof DIMENSIONS)[number], { cue, time, days = [] }: Fact): readonly string[] {
	if (dimension === 'month') return days.flatMap(({ month }) => (month ? [String(month)] : []));
	if (cue) return cue.dimension === dimension ? [cue.value] : [];
	if (!time?.sure || (dimension !== 'day' && dimension !== 'noon')) return [];
	const minutes = time.minutes % 1440;
	if (dimension === 'noon') return minutes === 720 ? ['noon'] : minutes === 0 ? ['midnight'] : [];
	// The first hour after midnight or noon may be called by either name.
	if (minutes < 60 || (minutes >= 720 && minutes < 780)) return [];
	return [minutes < 720 ? 'am' : 'pm'];
}

/** "From 40 to 60" against "de 60 a 40", and "room 12 on floor 8" against "room 8 on floor 12". */
function markSwaps(said: readonly Fact[], translated: readonly Fact[], verdicts: Map<Fact, Verdict>): void {
	const isOne = (a: Fact, b: Fact) => isNearlySame(withoutContext(a), withoutContext(b));
	const isCounted = ({ strength }: Fact) => strength !== 'loose';
	const mark = (...facts: readonly Fact[]) => {
		for (const fact of facts) verdicts.set(fact, 'differs');
	};
	const isRatio = (...[from, to]: readonly [Fact, Fact]) =>
		!from.label && !to.label && to.start - from.end < 10 && (isCounted(to) || to.numbers[0] === 1);
	const ranges = (facts: readonly Fact[]) =>
		facts.flatMap((from) => {
			const to = facts.find((other) => other.start === from.upTo);
			return to && !isOne(from, to) ? [[from, to] as const] : [];
		});
	for (const [from, to] of ranges(said)) {
		for (const [first, last] of ranges(translated)) {
			const isReversed = isOne(from, last) && isOne(to, first);
			if (isReversed && !isOne(from, first) && !isOne(to, last)) mark(from, to, first, last);
			// "Five to one" differs from "five to two" in its second number.
			if (isRatio(from, to) && isRatio(first, last) && isOne(from, first) && !isOne(to, last)) mark(to, last);
		}
	}
	for (const one of said) {
		const [other, ...more] = translated.filter(({ label }) => label !== undefined && label === one.label);
		const isAlone = said.filter(({ label }) => label === one.label).length === 1;
		if (!other || more.length > 0 || !isAlone || isOne(one, other) || isMeasure(one)) continue;
		const isElsewhere = translated.some((fact) => fact !== other && isCounted(fact) && isOne(fact, one));
		const isOtherElsewhere = said.some((fact) => fact !== one && isCounted(fact) && isOne(fact, other));
		if (isElsewhere && isOtherElsewhere) mark(one, other);
	}
}

function withoutContext({ sign: _, label: __, ...fact }: Fact): Fact {
	return fact.strength === 'loose' && !fact.cue ? { ...fact, strength: 'weak' } : fact;
}

/** A percentage or sum whose number occurs on the other side, but whose unit occurs nowhere there. */
function isUnitLost({ unit, text }: Fact, other: Fact, others: readonly Fact[]): boolean {
	if (!unit || unit === 'pound' || other.unit !== undefined || other.kind !== 'number') return false;
	if (
		other.strength === 'loose' ||
		other.literal !== undefined ||
		other.measure !== undefined ||
		other.numbers.length > 1
	)
		return false;
	// Percentage points are mostly called points.
	if (/percentage p|points? de|punt[a-z]+ p/.test(text)) return false;
	return unit === '%'
		? !others.some((fact) => fact.unit === '%' || fact.cue?.dimension === 'fraction')
		: !others.some((fact) => fact.unit !== undefined && fact.unit !== '%');
}

/**
 * Drops a spelled-out code if the other side has none of the same length:
 * it was not understood, so no number is in doubt.
 */
function dropSpelled(from: Fact[], others: Fact[]): void {
	for (const one of from.filter(({ spelled, unread }) => spelled || unread)) {
		const numeric = others.filter(({ kind }) => kind === 'number' || kind === 'phone' || kind === one.kind);
		const isAll = numeric.map(codeOf).join('') === codeOf(one);
		if (!isAll && numeric.some((other) => codeOf(other).length === codeOf(one).length)) continue;
		drop(from, (fact) => fact === one);
		drop(others, (fact) => numeric.includes(fact));
	}
}

/** The letters and digits of a fact, without leading zeros. */
function codeOf({ literal, text, numbers: [number] }: Fact): string {
	const digits = /\p{Nd}/u.test(text) ? plainOf(text).replace(/\D/g, '') : String(number ?? '');
	return (literal ?? digits).replace(/^0+/, '');
}

/** Whether one measure may be the other in different units, as 68 degrees Fahrenheit and 20 Celsius; not calculated. */
function isConverted(a: Fact, b: Fact): boolean {
	return a.measure !== b.measure && [a, b].every(({ measure }) => measure) && [a, b].some(isImperial);
}

function isImperial({ measure }: Fact): boolean {
	return measure === 'imperial';
}

/** Whether equal numbers have different units: 500 kilometres are not 500 miles. */
function isOtherMeasure(a: Fact, b: Fact): boolean {
	return a.measure === 'metric' && isImperial(b) && a.strength !== 'loose' && b.strength !== 'loose';
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
	if (a.time || b.time) return isTimeAsNumber(a, b) || isTimeAsNumber(b, a) || isPart(a, b) || isPart(b, a);
	return isSameAmount(a, b);
}

function isSameLiteral(a: Fact, b: Fact): boolean {
	if (a.kind === 'phone' && b.kind === 'phone') return isSamePhone(a.literal ?? '', b.literal ?? '');
	return isSamePhone(codeOf(a), codeOf(b)) || isCodeApart(a, b);
}

function isSameAmount(a: Fact, b: Fact): boolean {
	if (a.unit && b.unit && a.unit !== b.unit && !isPounds(a, b)) return false;
	const [one, other] = [amountOf(a), amountOf(b)];
	if (one && other)
		return one.family === other.family && one.amounts.some((amount) => other.amounts.includes(amount));
	return a.numbers.some((number) => b.numbers.includes(number)) || isPart(a, b) || isPart(b, a);
}

function isPart({ strength, numbers: [part = 1] }: Fact, whole: Fact): boolean {
	return strength === 'loose' && part < 1 && isPartOf(part, whole);
}

/** Whether both are pounds, either sterling or a weight. */
function isPounds({ unit }: Fact, { unit: other }: Fact): boolean {
	return [unit, other].includes('pound') && [unit, other].includes('gbp');
}

/** Whether two telephone numbers are the same with or without the country code. */
function isSamePhone(a: string, b: string): boolean {
	return a === b || (Math.min(a.length, b.length) >= 7 && (a.endsWith(b) || b.endsWith(a)));
}

/** Whether one side separates the letters and digits of a code: `LH455` and "LH 455". */
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

/** A time written as a plain number: "two" and "14 h" for two o'clock, 1430 and 14.5 for half past. */
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

/** Matches a date, a time or a sum with several separate numbers on the other side. */
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
		// The name of a month contains no number.
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
				(other.strength !== 'loose' ||
					other.text === '1' ||
					(parts.length > 1 && `${other.numbers}` === '1')) &&
				other.numbers.some((number) => part.includes(number)),
		);
		if (!found) return null;
		used.push(found);
	}
	return used;
}

/** Whether a word on the other side may express the fact: "half", "both", "week". */
function isHinted(fact: Fact, others: readonly Fact[]): boolean {
	const hints = others.filter(({ strength }) => strength === 'loose');
	const isSpoken = (hint: Fact) => hint.kind === 'email' && (fact.kind === 'email' || fact.kind === 'web');
	return fact.strength === 'loose' || hints.some((hint) => isSpoken(hint) || isNearlySame(fact, hint));
}

/** True if the fact occurred earlier in the same sentence with a counterpart. */
function isRepeated(fact: Fact, own: readonly Fact[]): boolean {
	return own.some((other) => other !== fact && other.start < fact.start && isSame(other, fact));
}

function drop(facts: Fact[], isDone: (fact: Fact) => boolean): void {
	for (const fact of [...facts]) if (isDone(fact)) facts.splice(facts.indexOf(fact), 1);
}

function judge(left: readonly Fact[], right: readonly Fact[], verdicts: Map<Fact, Verdict>): void {
	// A fact without a counterpart may be a figure of speech, unless it has digits or a kind that is never one.
	if (left.length === 0 || right.length === 0) {
		for (const fact of [...left, ...right]) if (isNoFigure(fact)) verdicts.set(fact, 'missing');
		return;
	}
	// If the counts differ, one side uses several numbers for what the other expresses in one.
	const groups = [(_: Fact) => 'any', ({ strength }: Fact) => strength];
	for (const groupOf of groups) {
		const here = Map.groupBy(left, groupOf);
		const there = Map.groupBy(right, groupOf);
		const alike = [...here].flatMap(([group, facts]) => {
			const others = there.get(group) ?? [];
			return facts.length === others.length ? [...facts, ...others] : [];
		});
		for (const fact of alike) verdicts.set(fact, 'differs');
		if (alike.length > 0) return;
	}
}

/**
 * Words such as "five to twelve", "ten", "a hundred" without a counterpart may not be meant as numbers. Digits
 * always are, and so are 17 and 26, and "three weeks"; but "every two days" means every other day, and two
 * minutes may mean a moment.
 */
function isNoFigure({ kind, strength, text, label, numbers: [number = 0, ...more] }: Fact): boolean {
	if (strength === 'weak')
		return (
			isUnit(label) &&
			(number !== 2 || more.length > 0 || !/^(?:second|minute|day|week|month|year)$/.test(label ?? ''))
		);
	if (strength !== 'firm') return false;
	if (/\p{Nd}/u.test(text) || (kind !== 'number' && kind !== 'time')) return true;
	return kind === 'number' && (number % 5 !== 0 || isUnit(label));
}
