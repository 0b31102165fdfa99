import { byLanguage } from '#shared/captions/copied-text.ts';
import type { InDoubt } from '#shared/captions/export-formats.ts';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import { type FactLanguage, factLanguageOf, words } from '#shared/facts/words/index.ts';
import type { Words } from '#shared/facts/words/words.ts';
import { compareFacts, type Judged } from './compare-facts.ts';
import { cuesIn, fractionsIn, withSurroundings } from './cues.ts';
import { Canon, type Day, type Fact, type FactKind, NUMERAL } from './fact.ts';
import { plainOf } from './plain.ts';
import { japaneseNumeralsIn } from './read-japanese.ts';
import { type Numeral, numeralsIn } from './read-numbers.ts';

/** The names of one hundredth of a currency. */
const CENTS = 'cents?|centimes?|céntimos?|centavos?|pence|rappen|セント|ペンス|سنت';
const DAY_MS = 86_400_000;

/** The patterns that find facts in one language, created once. */
interface Patterns {
	readonly words: Words;
	readonly percent: RegExp;
	readonly days: RegExp;
	readonly monthAlone: RegExp | null;
	readonly doubtfulMonth: RegExp | null;
	readonly months: ReadonlyMap<string, number>;
	readonly weekdays: RegExp;
	readonly weekdayNames: ReadonlyMap<string, number>;
	readonly times: readonly RegExp[];
	readonly money: RegExp;
	readonly cents: RegExp;
	/** A nationality before a currency, as in *Canadian dollars*. */
	readonly nation: RegExp;
	readonly idioms: RegExp | null;
	readonly loose: RegExp;
}

/** Built from the words of a language and the `Intl` names of its days and months. */
function patternsOf(language: FactLanguage): Patterns {
	const known = words[language];
	const { months, longMonths } = monthsOf(language);
	const weekdayNames = new Map(Object.entries(known.weekdays ?? {}));
	const weekdayFormat = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
	// 1970-01-04 was a Sunday.
	for (let day = 0; day < 7; day++) {
		const name = plainOf(weekdayFormat.format((3 + day) * DAY_MS));
		// The last 日 of a Japanese weekday is often omitted.
		weekdayNames.set(name.replace(/曜日$/u, '曜'), day);
	}
	const N = NUMERAL;
	const edge = known.unspaced ? ['', ''] : ['(?<!\\p{L})', '(?!\\p{L})'];
	const month = alternatives([...months.keys()]);
	const ord = known.ordinals.length > 0 ? `(?:${alternatives(known.ordinals)}(?!\\p{L}))?` : '';
	const of = `[ ,.،]{0,3}(?:(?:${alternatives(known.ofDate)})[ ,.،]{0,3})?`;
	const firsts = alternatives(Object.keys(known.firsts ?? {}));
	const days = known.unspaced
		? `(?:(?<y>${N})年)?(?<mn>${N})月(?:(?<d>${N})日)?`
		: [
				`${edge[0]}(?<m>${month})\\.?${edge[1]} (?:the |de |of |عام |سنه )?(?<d>${N})${ord}(?:,? (?<y>${N})(?! ?%))?`,
				`(?<d2>${N})${ord}${of}${edge[0]}(?<m2>${month})${edge[1]}\\.?(?:${of}(?<y2>${N})(?! ?%))?`,
				`${edge[0]}(?<f>${firsts})${edge[1]}${of}${edge[0]}(?<m3>${month})${edge[1]}\\.?(?:${of}(?<y3>${N})(?! ?%))?`,
				`${edge[0]}(?<m4>${month})${edge[1]} (?:the )?(?<f2>${firsts})${edge[1]}(?:,? (?<y4>${N})(?! ?%))?`,
			].join('|');
	const alone = [...longMonths].filter((name) => !known.doubtfulMonths?.includes(name));
	const loose = Object.keys(known.loose);
	const nation = known.nations ? `(?:(?:${known.nations}) ?)?` : '';
	const currencyOf = (names: readonly string[]) =>
		`(?:us|au|ca|hk)?[$€£¥₹₩]|${edge[0]}${nation}(?:${alternatives(names)})${edge[1]}`;
	const currencies = Object.keys(known.currencies);
	const inFront = currencies.filter((name) => !known.doubtfulCurrencies?.includes(name));
	// "Ninety" means cents in "77 euros ninety in all", but not in "für 50 Euro 20 Flaschen".
	const cents = `(?:(?: ?(?:and|und|et|y|con|و))? ?(?<cents>${N})(?= ?(?:$|[.,;!?]|${CENTS})| (?:an?|each|in|for|at|on|per|and|or|all|altogether|please|im|für|pro|und|oder|insgesamt|zusammen|bitte|au|en|pour|par|et|ou|tout|s[’']il|por|y|o|cada)(?!\\p{L})))?`;
	return {
		words: known,
		percent: new RegExp(
			`${edge[0]}(?:${alternatives(known.percent)})${known.glued ? '(?!ual)' : edge[1]}${known.notPercent ?? ''}`,
			'gu',
		),
		days: new RegExp(days, 'gu'),
		monthAlone:
			known.unspaced || alone.length === 0
				? null
				: new RegExp(`${edge[0]}(?:${alternatives(alone)})${edge[1]}`, 'gu'),
		doubtfulMonth:
			known.doubtfulMonths === undefined
				? null
				: new RegExp(`(?<!\\p{L})(?:${alternatives(known.doubtfulMonths)})(?!\\p{L})`, 'gu'),
		months,
		weekdays: weekdayPattern(language, [...weekdayNames.keys()]),
		weekdayNames,
		times: known.times.map(
			(pattern) => new RegExp(`(?<![\\p{Script=Latin}\\p{Script=Arabic}])(?:${numbered(pattern, N)})`, 'gu'),
		),
		money: new RegExp(
			`(?<n>${N})(?: de | d[’']|[ -])?(?<c>${currencyOf(currencies)})${cents}|(?<one>(?<!\\p{L})a )?(?<c2>${currencyOf(inFront)}) ?(?<n2>${N})`,
			'gu',
		),
		cents: new RegExp(`(?<n>${N}) ?(?:${CENTS})${edge[1]}`, 'gu'),
		nation: new RegExp(`^(?:${known.nations ?? '(?!)'}) ?`, 'u'),
		idioms: known.idioms ? new RegExp(`${edge[0]}(?:${known.idioms})${edge[1]}`, 'gu') : null,
		loose: new RegExp(`${edge[0]}(?:${loose.length > 0 ? alternatives(loose) : '(?!)'})${edge[1]}`, 'gu'),
	};
}

/** The names of the months, and which of them are not abbreviated. */
function monthsOf(language: FactLanguage) {
	const known = words[language] as Words;
	const months = new Map(Object.entries(known.months ?? {}));
	const longMonths = new Set(months.keys());
	for (const style of ['long', 'short'] as const) {
		const format = new Intl.DateTimeFormat(language === 'ar' ? 'ar-EG' : language, {
			month: style,
			timeZone: 'UTC',
		});
		for (let month = 1; month <= 12; month++) {
			const name = plainOf(format.format(((month - 0.5) * 365 * DAY_MS) / 12)).replace(/\.$/, '');
			if (known.unspaced || months.has(name)) continue;
			months.set(name, month);
			if (style === 'long') longMonths.add(name);
		}
	}
	return { months, longMonths };
}

/** `N` stands for a number in the patterns of times. */
function numbered(pattern: string, numeral: string): string {
	return pattern.replace(/N/g, numeral);
}

function weekdayPattern(language: FactLanguage, names: readonly string[]): RegExp {
	const all = alternatives(names);
	// 日曜大工, "Sunday carpentry", means handiwork on any day.
	if (language === 'ja') return new RegExp(`(${all})日?(?!大工)`, 'gu');
	if (language === 'de')
		return new RegExp(
			`(?<!\\p{L})(${all})(?:s|e|en)?(?:abend|morgen|vormittag|nachmittag|mittag|nacht|früh)?(?:s|e|en)?(?!\\p{L})`,
			'gu',
		);
	if (language === 'ar') return new RegExp(`(?<!\\p{L})(?:و|ب|ل)?(${all})(?!\\p{L})`, 'gu');
	return new RegExp(`(?<!\\p{L})(${all})s?(?!\\p{L})`, 'gu');
}

/** Longer words first, so that no shorter word matches the beginning of a longer one. */
function alternatives(all: readonly string[]): string {
	return [...all]
		.sort((a, b) => b.length - a.length)
		.map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
		.join('|');
}

const SIGNS: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10 };

/** The value of a Roman numeral as used for centuries: I, V and X. */
function romanOf(text: string): number {
	const values = [...text].map((sign) => SIGNS[sign] ?? 0);
	return values.reduce((sum, value, at) => (value < (values[at + 1] ?? 0) ? sum - value : sum + value), 0);
}

/** A date of digits only: `2026-03-14`, `14.3.2026`, `3/14`. */
export const NUMERIC_DAY =
	/(?<![\d.,/-])(?:(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{1,2})([./-])(\d{1,2})\6(\d{4}|\d{2})|(\d{1,2})\/(\d{1,2})|(\d{1,2})\.(\d{1,2})\.)(?![\d/]|[.,-]\d)/gu;

/** The possible days of the groups of `NUMERIC_DAY`; empty: not a date. */
export function daysOf(
	at: Readonly<Record<number, string | undefined>>,
	order: Words['dateOrder'],
): readonly Day[] {
	const number = (index: number) => Number(at[index] ?? Number.NaN);
	if (at[1]) return valid([{ year: number(1), month: number(3), day: number(4) }]);
	const [first, second] = [at[5] ?? at[9] ?? at[11], at[7] ?? at[10] ?? at[12]].map(Number) as [
		number,
		number,
	];
	const year = at[8] ? { year: at[8].length === 2 ? 2000 + number(8) : number(8) } : {};
	const dayFirst = { ...year, day: first, month: second };
	const monthFirst = { ...year, day: second, month: first };
	return valid(order === 'day' ? [dayFirst] : order === 'month' ? [monthFirst] : [monthFirst, dayFirst]);
}

function valid(
	days: readonly { readonly year?: number; readonly month: number; readonly day: number }[],
): readonly Day[] {
	return days.filter(({ month, day }) => month >= 1 && month <= 12 && day >= 1 && day <= 31);
}

/**
 * Longer texts are skipped: no sentence is that long, and reading one must not block the window. Characters.
 */
export const LONGEST_READ = 1000;

const MAIL = /[a-z\d._%+-]+@[a-z\d-]+(?:\.[a-z\d-]+)+/gu;
/** A gate, a flight, a name: `B12`, `LH455`, `COVID-19`. */
const CODE = /(?<![\p{Script=Latin}\d])([a-z]{1,6})-?(\d{1,5})(?![\p{Script=Latin}\d]|[.,:]\d)/gu;
const WEB =
	/(?:https?:\/\/|www\.)[\w\-./?=&%#~:+@]+|(?<![\p{Script=Latin}\d.@-])[a-z\d-]+(?:\.[a-z\d-]+)*\.(?:com|org|net|edu|gov|info|io|app|dev|eu|de|fr|es|jp|uk|us|ch|at|it|nl|sa|ae|eg|ma|mx|ar|co|me|tv|biz|health|shop|example)(?:\/[\w\-./?=&%#~:+@]*)?(?![\p{Script=Latin}\d])/gu;
/** A seat or a house: `14B`. The letters are capitals and not a unit. */
const SEAT = /(?<![\p{Script=Latin}\d$€£¥.,:/-])(\d{1,4})([A-Z]{1,2})(?![\p{Script=Latin}\d])/gu;
/** A passport or account number: groups of capitals and digits, which each language spaces differently. */
const SERIES =
	/(?<![\p{Script=Latin}\d])(?:(?:[A-Z]{1,2} ?\d{1,4} ?){2,8}[A-Z]{0,2}|[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){3,7}(?: ?[\dA-Z]{1,3})?)(?![\p{Script=Latin}\d])/gu;
/** Door B, plan C: a letter that is no word of any language and no unit. */
const LETTER = /(?<![\p{L}\d.'’°/-]|[\d°] )[B-DF-HJ-NP-TV-Z](?![\p{L}\d'’/-]|\. ?\S)/gu;
const UNITS = /^(?:AM|PM|K|M|KM|KG|CM|MM|H)$/;
/** Idioms without a date or a number: always open; half and half. */
const ALWAYS =
	/(?<![\d/])24[/-]7(?![\d/])|(?<!\d)50 ?[/:-] ?50(?!\d)|24 ?h(?:eures?)? ?(?:\/|sur) ?24|7 ?j(?:ours?)? ?(?:\/|sur) ?7/gu;
/** "anna dot berg at example dot com". */
const DOT = '(?:dot|punkt|point|punto|ドット|نقطه)';
const AT = '(?:at|ät|arobase|arroba|アットマーク|アット|ات)';
const DASH = '(?:dash|hyphen|minus|bindestrich|tiret|guion|ハイフン|شرطه)';
const DOTS = new RegExp(` ?(?<!\\p{L})${DOT}(?!\\p{L}) ?`, 'gu');
const ATS = new RegExp(` ?(?<!\\p{L})${AT}(?!\\p{L}) ?`, 'gu');
const DASHES = new RegExp(` ${DASH} `, 'gu');
const SPOKEN_MAIL = new RegExp(
	`[\\p{L}\\d_-]+(?: ?${DOT} ?[\\p{L}\\d_-]+)* ?(?<!\\p{L}(?=\\p{L}))${AT} [\\p{L}\\d-]+(?: (?:${DOT}|${DASH}) [\\p{L}\\d-]+)* ${DOT} [\\p{L}\\d-]+`,
	'gu',
);
/** "Dot com" in an address that cannot be read: it stands for the address on the other side. */
const SPOKEN_END = new RegExp(
	`(?<= ${DOT} )(?:com|org|net|edu|gov|info|eu|de|fr|es|jp|uk|ch)(?!\\p{L})`,
	'gu',
);
const PHONE = /(?<![\p{Script=Latin}\d.,:/-])(?:\+ ?|\()?\d[\d\u00a0 ()./-]{5,22}\d(?![\d:])/gu;
const SYMBOLS: Readonly<Record<string, string>> = {
	$: 'usd',
	'€': 'eur',
	'£': 'gbp',
	'¥': 'jpy',
	'₹': 'inr',
	'₩': 'krw',
};
/** More than any sentence has; comparing more facts would block the window. */
export const MOST_FACTS = 100;

const ready = new Map<FactLanguage, Patterns>();

/** The facts of a sentence, in order; null: the text is too long. */
export function findFacts(text: string, language: FactLanguage): readonly Fact[] | null {
	if (text.length > LONGEST_READ) return null;
	const patterns = ready.get(language) ?? patternsOf(language);
	ready.set(language, patterns);
	return new Finder(text, language, patterns).facts();
}

class Finder {
	private readonly found: Fact[] = [];
	private readonly text: string;
	private readonly language: FactLanguage;
	private readonly patterns: Patterns;
	private readonly whole: string;
	/** The text being read; ranges already understood are blanked out. */
	private plain: string;
	private isTooMuch = false;

	constructor(text: string, language: FactLanguage, patterns: Patterns) {
		this.text = text;
		this.language = language;
		this.patterns = patterns;
		this.whole = plainOf(text);
		this.plain = this.whole;
	}

	facts(): readonly Fact[] | null {
		this.findLiterals();
		this.findFractions();
		this.findNumericDays();
		this.findCenturies();
		this.findRomans();
		this.findRest();
		if (this.isTooMuch || this.found.length > MOST_FACTS) return null;
		const inOrder = this.found.sort((a, b) => a.start - b.start);
		return withSurroundings(inOrder, this.whole, this.language);
	}

	private findLiterals(): void {
		this.each(MAIL, (match) => this.add('email', match.index, match[0].length, { literal: match[0] }));
		this.each(WEB, ({ index, 0: found }) => {
			const address = found.replace(/[.,;:!?'’)]+$/u, '');
			this.add('web', index, address.length, {
				literal: address.replace(/^https?:\/\/(?:www\.)?|^www\.|\/$/gu, ''),
			});
		});
		this.each(SPOKEN_MAIL, ({ index, 0: found }) => {
			const literal = found.replace(DOTS, '.').replace(ATS, '@').replace(DASHES, '-');
			const isNumber = (word = '') => Object.hasOwn(this.patterns.words.numbers, word);
			// "Valued at three point five".
			if (isNumber(literal.split('.').at(-1))) return;
			// A single letter or digit before "at" is rarely the whole name.
			const name = /^(?:[a-z\d.-]+\.)?([a-z]{3,})@[a-z\d.-]+$/.exec(literal)?.[1];
			this.add('email', index, found.length, {
				strength: !name || isNumber(name) ? 'loose' : 'firm',
				literal,
			});
		});
		this.each(SPOKEN_END, ({ index, 0: end }) => this.add('email', index, end.length, { strength: 'loose' }));
		this.each(ALWAYS, ({ index, 0: found }) =>
			this.add('number', index, found.length, { strength: 'loose', numbers: [24, 7] }),
		);
		for (const { index, 0: found } of this.text.matchAll(SERIES)) {
			const length = found.trimEnd().length;
			this.add('number', index, length, { literal: found.replace(/ /g, '').toLowerCase() });
		}
		for (const { index, 0: found, 1: digits = '', 2: letters = '' } of this.text.matchAll(SEAT)) {
			if (UNITS.test(letters)) continue;
			const literal = `${digits}${letters.toLowerCase()}`;
			this.add('number', index, found.length, { numbers: [Number(digits)], literal });
		}
		this.each(CODE, ({ index, 0: found, 1: letters = '', 2: digits = '' }) => {
			if (Object.hasOwn(this.patterns.words.currencies, letters)) return;
			// In capitals it is a name; otherwise it may be a measure.
			const isName = this.text.slice(index, index + letters.length) !== letters;
			const literal = isName ? { literal: `${letters}${digits}` } : {};
			this.add('number', index, found.length, {
				numbers: [Number(digits)],
				strength: isName ? 'firm' : 'loose',
				...literal,
			});
		});
		this.each(PHONE, ({ index, 0: found }) => {
			const digits = found.replace(/\D/g, '');
			const isNumber = /^\d{1,3}(?:[ \u00a0.]\d{3})+$/u.test(found) && !/^[0+]/.test(found);
			const isSpan = /^\d{1,4} ?[-/] ?\d{1,4}$/.test(found);
			const isDay = new RegExp(NUMERIC_DAY.source, 'u').test(found);
			const hasGaps = /^\+|\d[\u00a0 ()./-]+\d/u.test(found);
			const isDecimal = /^\d+\.\d+$/.test(found);
			if (
				digits.length < 7 ||
				digits.length > 15 ||
				isNumber ||
				(isSpan && digits.length > 7) ||
				isDay ||
				!hasGaps ||
				isDecimal
			)
				return;
			this.add('phone', index, found.length, { literal: digits.replace(/^0+/, '') });
		});
	}

	private findFractions(): void {
		for (const { cue, numbers, match } of fractionsIn(this.plain, this.language))
			this.add('number', match.index, match[0].length, { cue, numbers, strength: 'loose' });
	}

	private findNumericDays(): void {
		this.each(NUMERIC_DAY, ({ index, 0: found, ...at }) => {
			const days = daysOf(at as unknown as Record<number, string | undefined>, this.patterns.words.dateOrder);
			const isFraction = at[9] !== undefined && this.language === 'de';
			// "Python 3.12." at the end of a sentence is a version.
			const numbers = at[11] === undefined ? [] : [Number(found.slice(0, -1))];
			if (days.length > 0 && !isFraction) this.add('date', index, found.length, { days, numbers });
		});
	}

	private findCenturies(): void {
		const { centuries } = this.patterns.words;
		for (const { index, 0: found } of centuries ? this.text.matchAll(centuries) : []) {
			const number = romanOf(found);
			const strength = number === 1 ? 'loose' : 'firm';
			this.add('number', index, found.length, { numbers: [number], strength });
		}
	}

	/** Louis XIV is ルイ14世. */
	private findRomans(): void {
		for (const { index, 0: found } of this.text.matchAll(/(?<![\p{L}\d])[IVX]{2,}(?![\p{L}\d])/gu)) {
			if (this.plain[index] !== '\u0000')
				this.add('number', index, found.length, { numbers: [romanOf(found)], strength: 'loose' });
		}
	}

	private findRest(): void {
		const { words: known, percent, idioms } = this.patterns;
		if (idioms) this.plain = this.plain.replace(idioms, (phrase) => '\u0000'.repeat(phrase.length));
		// "Drei viertel acht" is a quarter to eight.
		if (this.language === 'de') this.plain = this.plain.replace(/drei viertel/g, '\u0000dreiviertel');
		this.plain = this.plain.replace(percent, (phrase) => `%${'\u0000'.repeat(phrase.length - 1)}`);
		const numerals = known.unspaced
			? japaneseNumeralsIn(this.plain)
			: numeralsIn(this.plain, known, this.text);
		this.isTooMuch = numerals.length > MOST_FACTS;
		if (this.isTooMuch) return;
		const canon = new Canon(this.plain, numerals);
		this.findDays(canon);
		this.findTimes(canon);
		this.findMoney(canon);
		this.findPercents(canon);
		for (const numeral of canon.left()) this.addNumeral(numeral);
		this.findLoose(canon);
	}

	private findDays(canon: Canon): void {
		const { days, months, monthAlone, doubtfulMonth, weekdays, weekdayNames } = this.patterns;
		canon.each(days, (match) => {
			const day = dayOf(canon, match, months, this.patterns.words.firsts);
			if (day) this.addFrom(canon, match, 'date', { days: [day] });
			return day !== null;
		});
		if (monthAlone) {
			canon.each(monthAlone, (match) => {
				this.addFrom(canon, match, 'date', { days: [{ month: months.get(match[0]) as number }] });
				return true;
			});
		}
		for (const match of doubtfulMonth ? canon.text.matchAll(doubtfulMonth) : [])
			this.addFrom(canon, match, 'date', { days: [{ month: months.get(match[0]) ?? 0 }], strength: 'loose' });
		canon.each(weekdays, (match) => {
			const weekday = weekdayNames.get(match[1] ?? '');
			if (weekday === undefined) return false;
			this.addFrom(canon, match, 'date', { days: [{ weekday }] });
			return true;
		});
	}

	private findTimes(canon: Canon): void {
		for (const pattern of this.patterns.times) {
			canon.each(pattern, (match) => {
				const minutes = match.groups?.m ?? match.groups?.m2;
				// "Um 10:45 Uhr einen Termin": the "einen" there is not a minute.
				const isTold = canon.numeral(minutes)?.strength !== 'loose';
				if (minutes && !isTold) cutBefore(match, minutes);
				const time = canon.timeOf(match, isTold);
				// 五時十分前 is ten to five, or shortly before ten past.
				const unread = match.groups?.unread && ({ unread: true, strength: 'loose' } as const);
				if (time) this.addFrom(canon, match, 'time', { time, ...unread });
				return time !== null;
			});
		}
		for (const numeral of canon.left()) {
			if (!numeral.clock) continue;
			const { hours, minutes } = numeral.clock;
			const sure = hours > 12 || hours === 0 || numeral.digits?.startsWith('0') === true;
			canon.take(numeral);
			this.add('time', numeral.start, numeral.end - numeral.start, {
				time: { minutes: hours * 60 + minutes, sure },
			});
		}
	}

	private findMoney(canon: Canon): void {
		canon.each(this.patterns.money, (match) => {
			const { n, n2, c, c2, cents, one } = match.groups ?? {};
			const numeral = canon.numeral(n ?? n2);
			if (!numeral || numeral.numbers.length === 0) return false;
			const name = (c ?? c2 ?? '').trim();
			const unit = SYMBOLS[name.at(-1) ?? ''] ?? this.currencyOf(name);
			if (!unit) return false;
			// "20 pounds" may also be a weight.
			const isPounds = unit === 'pound';
			const part = canon.whole(cents) ?? 0;
			const numbers = numeral.numbers.map((number) =>
				// "A dollar fifty".
				one ? 1 + number / 100 : part > 0 && part < 100 ? number + part / 100 : number,
			);
			this.addFrom(canon, match, isPounds ? 'number' : 'money', {
				unit,
				numbers,
				strength: isPounds ? numeral.strength : 'firm',
			});
			return true;
		});
		// 95 cents are 0.95 euros.
		canon.each(this.patterns.cents, (match) => {
			const { numbers = [], strength } = canon.numeral(match.groups?.n) ?? {};
			this.addFrom(canon, match, 'number', {
				numbers: numbers.flatMap((number) => [number, number / 100]),
				...(strength && { strength }),
			});
			return true;
		});
	}

	private currencyOf(name: string): string | undefined {
		const { words: known, nation } = this.patterns;
		return known.currencies[name] ?? known.currencies[name.replace(nation, '')];
	}

	private findPercents(canon: Canon): void {
		canon.each(new RegExp(`(?<n>${NUMERAL})[ -]?%|%(?<n2>${NUMERAL})`, 'gu'), (match) => {
			const numeral = canon.numeral(match.groups?.n ?? match.groups?.n2);
			if (!numeral || numeral.numbers.length === 0) return false;
			// "A hundred percent" mostly means "quite".
			const strength = numeral.numbers.includes(100) ? 'loose' : 'firm';
			this.addFrom(canon, match, 'percent', { unit: '%', numbers: numeral.numbers, strength });
			return true;
		});
		if (this.language !== 'ja') return;
		// 3割 is 30 percent, 3割5分 is 35.
		canon.each(new RegExp(`(?<n>${NUMERAL})割(?:(?<m>${NUMERAL})分)?`, 'gu'), (match) => {
			const tenth = canon.numeral(match.groups?.n)?.numbers[0];
			if (tenth === undefined || tenth > 10) return false;
			const numbers = [tenth * 10 + (canon.whole(match.groups?.m) ?? 0)];
			this.addFrom(canon, match, 'percent', { unit: '%', numbers, strength: 'firm' });
			return true;
		});
	}

	private addNumeral({ start, end, numbers, strength, digits, spelled }: Numeral): void {
		if (spelled !== undefined) {
			this.add('number', start, end - start, { numbers, strength, literal: spelled, spelled: true });
			return;
		}
		const literal = numbers.length === 0 && digits ? digits.replace(/,/g, '.') : undefined;
		this.add('number', start, end - start, { numbers, strength, ...(literal && { literal }) });
	}

	private findLoose(canon: Canon): void {
		const { words: known, loose } = this.patterns;
		for (const { cue, numbers, match } of cuesIn(canon.text, this.language))
			this.addFrom(canon, match, 'number', { cue, numbers, strength: 'loose' });
		for (const match of canon.text.matchAll(loose)) {
			const numbers = known.loose[match[0]];
			// "A year" may be twelve months, but the "year" in "ten years" is not.
			const before = canon.text.slice(0, match.index).replace(/[ -]$/, '');
			const [count = 0, ...more] = canon.numeral(before.at(-1))?.numbers ?? [];
			const isCounted = count > 1 && more.length === 0;
			if (numbers && !isCounted) this.addFrom(canon, match, 'number', { numbers, strength: 'loose' });
		}
		for (const { index, 0: letter } of this.text.matchAll(LETTER)) {
			const isRead = this.plain[index] === '\u0000';
			const cue = { dimension: 'letter', value: letter } as const;
			if (!isRead) this.add('number', index, 1, { cue, strength: 'loose' });
		}
		for (const match of known.compounds ? canon.text.matchAll(known.compounds) : []) {
			const [numeral] = numeralsIn(match[0], known);
			if (numeral) this.addFrom(canon, match, 'number', { numbers: numeral.numbers, strength: 'loose' });
		}
		for (const hint of known.hints ?? []) {
			const match = hint.pattern.exec(canon.text);
			if (match) this.addFrom(canon, match, 'number', { numbers: [hint.number], strength: 'loose' });
		}
	}

	private each(pattern: RegExp, found: (match: RegExpExecArray) => void): void {
		for (const match of this.plain.matchAll(pattern)) found(match);
	}

	/** Adds a fact and blanks it out, so that it is not read again. */
	private add(kind: FactKind, start: number, length: number, more: Partial<Fact>): void {
		this.push(kind, start, start + length, more);
		this.plain = this.plain.slice(0, start) + '\u0000'.repeat(length) + this.plain.slice(start + length);
	}

	private push(kind: FactKind, start: number, end: number, more: Partial<Fact>): void {
		const text = this.text.slice(start, end).trim();
		this.found.push({ kind, strength: 'firm', numbers: [], ...more, start, end, text });
	}

	private addFrom(canon: Canon, match: RegExpExecArray, kind: FactKind, more: Partial<Fact>): void {
		const [start, end] = canon.span(match);
		this.push(kind, start, end, more);
	}
}

/** The day in the groups of `Patterns.days`, or null. Drops a following number that is not a year. */
function dayOf(
	canon: Canon,
	match: RegExpExecArray,
	months: ReadonlyMap<string, number>,
	firsts: Readonly<Record<string, number>> = {},
): Day | null {
	const { d: first, d2, m, m2, m3, m4, mn, y, y2, y3, y4, f, f2 } = match.groups ?? {};
	const month = months.get((m ?? m2 ?? m3 ?? m4 ?? '').replace(/\.$/, '')) ?? canon.whole(mn);
	if (month === undefined || !isWithin(month, 1, 12)) return null;
	// "February 2028" has a year where a day would be.
	const isMonthOfYear = isYear(canon.whole(first)) && !y;
	const day = isMonthOfYear ? undefined : (firsts[f ?? f2 ?? ''] ?? canon.whole(first ?? d2));
	if (day !== undefined && !isWithin(day, 1, 31)) return null;
	// Japanese puts the year first.
	const isJapanese = mn !== undefined;
	const told = isMonthOfYear ? first : (y ?? y2 ?? y3 ?? y4);
	const year = canon.whole(told);
	if (told === undefined || isYear(year)) return { month, ...(day && { day }), ...(year && { year }) };
	if (isJapanese) return null;
	cutBefore(match, told);
	return { month, ...(day && { day }) };
}

function isWithin(number: number, least: number, most: number): boolean {
	return number >= least && number <= most;
}

/** Shortens a match to end before a number that does not belong to it. */
function cutBefore(match: RegExpExecArray, sign: string): void {
	match[0] = match[0].slice(0, match[0].lastIndexOf(sign)).trimEnd();
}

function isYear(year: number | undefined): boolean {
	return year !== undefined && isWithin(year, 1000, 2999);
}

/** The facts of one row: of the source, and of each translation by language. */
export interface RowFacts {
	readonly said: readonly Judged[];
	readonly translated: ReadonlyMap<string, readonly Judged[]>;
}

const NONE: RowFacts = { said: [], translated: new Map() };
/** Cache: a row is the same object until it changes. */
const known = new WeakMap<CaptionRow, RowFacts>();

/** Compares a source with its final translations. A fact is doubtful if one translation lacks it. */
export function rowFacts(row: CaptionRow): RowFacts {
	const facts = known.get(row) ?? compared(row);
	known.set(row, facts);
	return facts;
}

function compared({ source, translations }: CaptionRow): RowFacts {
	const from = source?.final ? factLanguageOf(source.language) : null;
	if (!source || !from || translations.length === 0) return NONE;
	const facts = findFacts(source.text, from);
	if (!facts) return NONE;
	let said: readonly Judged[] = [];
	const translated = new Map<string, readonly Judged[]>();
	for (const segments of byLanguage(translations)) {
		const language = segments[0]?.language ?? '';
		const to = factLanguageOf(language);
		if (!to || to === from || !segments.every(isFinal)) continue;
		const text = segments.map((segment) => segment.text).join(' ');
		const told = findFacts(text, to);
		if (!told) continue;
		const both = compareFacts(facts, told);
		said = said.length === 0 ? both.said : worseOf(said, both.said);
		translated.set(language, both.translated);
	}
	return { said, translated };
}

function isFinal({ final }: Segment): boolean {
	return final;
}

/** In sentence order, each fact with its worst verdict. */
function worseOf(some: readonly Judged[], others: readonly Judged[]): readonly Judged[] {
	const worst = new Map(some.map(({ fact, verdict }) => [fact, verdict]));
	for (const { fact, verdict } of others) {
		if (verdict !== 'same' || !worst.has(fact)) worst.set(fact, verdict);
	}
	return [...worst].map(([fact, verdict]) => ({ fact, verdict })).sort((a, b) => a.fact.start - b.fact.start);
}

/** The ranges of doubtful facts on both sides, for files in two languages. */
export const doubtsOf: InDoubt = (said, translated) => {
	const [from, to] = [factLanguageOf(said.language), factLanguageOf(translated.language)];
	if (!from || !to || from === to || said.text === '' || translated.text === '') return [[], []];
	const [here, there] = [findFacts(said.text, from), findFacts(translated.text, to)];
	if (!here || !there) return [[], []];
	const both = compareFacts(here, there);
	const doubted = (some: readonly Judged[]) =>
		some.flatMap(({ fact: { start, end }, verdict }) => (verdict === 'same' ? [] : [{ start, end }]));
	return [doubted(both.said), doubted(both.translated)];
};
