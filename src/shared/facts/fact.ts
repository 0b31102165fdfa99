import type { Numeral } from './read-numbers.ts';

/** Kinds of facts that a translation can get wrong without sounding wrong. */
export type FactKind = 'number' | 'percent' | 'money' | 'date' | 'time' | 'phone' | 'email' | 'web';

/**
 * How certain a fact is. `firm`: doubtful without a counterpart on the other side. `weak`: a small number in
 * words, which a translation may omit. `loose`: a word that may stand for a number ("half", "both"); never
 * doubtful itself.
 */
export type Strength = 'firm' | 'weak' | 'loose';

/** A day, with the fields that were given. */
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
	/** The words are digits read out one by one. */
	readonly spelled?: true;
	/** The text is ambiguous or unreadable, so it makes no number on the other side doubtful. */
	readonly unread?: true;
	/** `minus`: below zero; `lower`: its sentence contains a word for less, which may stand for a minus. */
	readonly sign?: 'minus' | 'lower';
	/** The unit or thing that the number counts or names, as an English singular: `room`, `hour`. */
	readonly label?: string;
	readonly measure?: 'imperial' | 'metric' | 'degree';
	/** Start of the next number if a translation keeps their order: a range, a change, a ratio, a list. */
	readonly upTo?: number;
	readonly cue?: Cue;
}

/** A word that excludes others of its dimension: morning and evening, today and tomorrow, door B and D. */
export interface Cue {
	readonly dimension: 'day' | 'noon' | 'fraction' | 'when' | 'rank' | 'north' | 'east' | 'rate' | 'letter';
	readonly value: string;
}

const NUMERALS_FROM = 0xe000;
/** Matches a number of a `Canon`. */
export const NUMERAL = '[\\ue000-\\uf8ff]';

/** A text in which each number is one character, so that patterns can match a number by its context. */
export class Canon {
	text = '';
	private readonly numerals: readonly Numeral[];
	/** Index of each character of `text` in the plain text. */
	private readonly places: number[] = [];
	private readonly taken = new Set<Numeral>();

	constructor(plain: string, numerals: readonly Numeral[]) {
		this.numerals = numerals;
		let at = 0;
		for (const [index, { start, end }] of numerals.entries()) {
			this.copy(plain, at, start);
			this.text += String.fromCharCode(NUMERALS_FROM + index);
			this.places.push(start);
			at = end;
		}
		this.copy(plain, at, plain.length);
		this.places.push(plain.length);
	}

	private copy(plain: string, from: number, to: number): void {
		for (let at = from; at < to; at++) {
			const unit = plain[at] as string;
			if ((unit === '\u0000' && this.text.endsWith('%')) || /[\u064b-\u0652\u0670\u0640]/.test(unit))
				continue;
			this.text += unit === '\u00a0' ? ' ' : unit >= '\ue000' && unit <= '\uf8ff' ? ' ' : unit;
			this.places.push(at);
		}
	}

	/** Calls `accept` for each match whose numbers have not been used yet, and removes the accepted matches. */
	each(pattern: RegExp, accept: (match: RegExpExecArray) => boolean): void {
		for (const match of [...this.text.matchAll(pattern)]) {
			const numerals = [...match[0]].flatMap((sign) => this.numeral(sign) ?? []);
			if (
				numerals.some((numeral) => this.taken.has(numeral)) ||
				this.text.slice(match.index, match.index + match[0].length) !== match[0]
			)
				continue;
			if (!accept(match)) continue;
			// The accepted range may be shorter than the match.
			for (const sign of match[0]) {
				const numeral = this.numeral(sign);
				if (numeral) this.taken.add(numeral);
			}
			this.text =
				this.text.slice(0, match.index) +
				'\u0000'.repeat(match[0].length) +
				this.text.slice(match.index + match[0].length);
		}
	}

	numeral(sign: string | undefined): Numeral | undefined {
		return sign ? this.numerals[sign.charCodeAt(0) - NUMERALS_FROM] : undefined;
	}

	whole(sign: string | undefined): number | undefined {
		const number = this.numeral(sign)?.numbers[0];
		return Number.isInteger(number) ? number : undefined;
	}

	take(numeral: Numeral): void {
		this.taken.add(numeral);
	}

	left(): readonly Numeral[] {
		return this.numerals.filter((numeral) => !this.taken.has(numeral));
	}

	span({ index, 0: found }: RegExpExecArray): readonly [number, number] {
		const blanks = found.length - found.trimStart().length;
		const last = index + found.trimEnd().length - 1;
		const numeral = this.numeral(found.trimEnd().at(-1));
		return [this.places[index + blanks] ?? 0, numeral?.end ?? this.places[last + 1] ?? 0];
	}

	/** The time in the groups of a pattern; null if they are not a time. */
	timeOf(match: RegExpExecArray, hasMinutes = true): NonNullable<Fact['time']> | null {
		const groups = match.groups ?? {};
		const { mto } = groups;
		const m = hasMinutes ? (groups.m ?? groups.m2) : undefined;
		if (this.numeral(m ?? mto)?.clock) return null;
		const signs = [...match[0]].filter((sign) => sign !== m && sign !== mto && this.numeral(sign));
		const sign = signs.at(m && match[0].startsWith(m) ? -1 : 0);
		const numeral = this.numeral(sign);
		const clock = numeral && (numeral.clock ?? pointed(numeral));
		const hours = groups.noon ? 12 : groups.night ? 24 : (clock?.hours ?? this.whole(sign));
		if (hours === undefined || hours > 24) return null;
		const [more, less] = [this.whole(m) ?? 0, this.whole(mto) ?? 0];
		if (more > 59 || less > 59) return null;
		const minutes = (clock?.minutes ?? 0) + more - less + pastHour(groups);
		const { hour, sure } = hourOf(hours, groups);
		return { minutes: (hour * 60 + minutes + 1440) % 1440, sure };
	}
}

const PAST_HOUR: Readonly<Record<string, number>> = {
	half: 30,
	halfto: -30,
	past: 15,
	to: -15,
	to2: -15,
	toq: -45,
	third: 20,
	tothird: -20,
};

/** The minutes that words add to the hour: half, a quarter to, a third past. */
function pastHour(groups: Readonly<Record<string, string | undefined>>): number {
	return Object.entries(PAST_HOUR).reduce((sum, [name, minutes]) => sum + (groups[name] ? minutes : 0), 0);
}

const NIGHT = /night|noche|夜|ليلا/u;

/** The hour of the day, 0 to 24, and whether morning or afternoon is certain. */
function hourOf(hours: number, { am, am2, pm, pm2, noon }: Readonly<Record<string, string | undefined>>) {
	const isMorning = (am ?? am2) !== undefined;
	const isAfternoon = (pm ?? pm2) !== undefined;
	const sure = isMorning || isAfternoon || noon !== undefined || hours > 12 || hours === 0;
	// "Las dos de la noche", 夜の二時: the hours after midnight.
	if (NIGHT.test(pm ?? pm2 ?? '') && (hours === 12 || hours < 5)) return { hour: hours % 12, sure };
	if (isAfternoon && hours < 12) return { hour: hours + 12, sure };
	return { hour: isMorning && hours === 12 ? 0 : hours, sure };
}

/** A time with a separator or in two numbers: `14.30 Uhr`, "eleven thirty p.m.". */
function pointed({ digits, numbers }: Numeral): { readonly hours: number; readonly minutes: number } | null {
	const [both, parted = 0] = numbers;
	const isPair = digits === null && both === Math.round(parted * 100);
	const written = isPair ? parted.toFixed(2) : (digits ?? '');
	const [, hours, minutes] = /^(\d{1,2})[.](\d{2})$/.exec(written) ?? [];
	return hours && minutes && Number(hours) < 25 && Number(minutes) < 60
		? { hours: Number(hours), minutes: Number(minutes) }
		: null;
}
