import type { Day, Fact } from './fact.ts';

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
	pair(left, right, isSame);
	pair(left, right, isNearlySame);
	bySeveral(left, right);
	bySeveral(right, left);
	inOtherGroups(left, right);
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

function pair(left: Fact[], right: Fact[], isPair: (a: Fact, b: Fact) => boolean): void {
	for (let at = 0; at < left.length; ) {
		const one = left[at] as Fact;
		const other = right.findIndex((candidate) => isPair(one, candidate));
		if (other < 0) {
			at++;
			continue;
		}
		left.splice(at, 1);
		right.splice(other, 1);
	}
}

function isSame(a: Fact, b: Fact): boolean {
	return a.kind === b.kind && a.strength !== 'loose' && b.strength !== 'loose' && isNearlySame(a, b);
}

function isNearlySame(a: Fact, b: Fact): boolean {
	if (a.kind === 'phone' && b.kind === 'phone') return isSamePhone(a.literal ?? '', b.literal ?? '');
	if (a.literal !== undefined || b.literal !== undefined)
		return a.literal === b.literal || isDigits(a, b) || isDigits(b, a) || isCodeApart(a, b);
	if (a.strength === 'loose' && b.strength === 'loose') return false;
	if (a.days && b.days) return a.days.some((one) => (b.days ?? []).some((other) => isSameDay(one, other)));
	if (a.time && b.time) return isSameTime(a.time, b.time);
	if (a.time || b.time) return isTimeAsNumber(a, b) || isTimeAsNumber(b, a);
	if (a.unit && b.unit && a.unit !== b.unit) return false;
	if (a.days || b.days) return false;
	return a.numbers.some((number) => b.numbers.includes(number));
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
	if (kind !== 'money' || Number.isInteger(number)) return [];
	return [[Math.floor(number)], [Math.round((number % 1) * 100)]];
}

function partsAmong(parts: readonly (readonly number[])[], others: readonly Fact[]): readonly Fact[] | null {
	if (parts.length === 0) return null;
	const used: Fact[] = [];
	for (const part of parts) {
		const found = others.find(
			(other) =>
				!used.includes(other) &&
				!other.days &&
				other.strength !== 'loose' &&
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
	return fact.strength === 'loose' || hints.some((hint) => isNearlySame(fact, hint));
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
