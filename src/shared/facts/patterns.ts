import { type Day, NUMERAL } from './fact.ts';
import { plainOf } from './plain.ts';
import { type FactLanguage, words } from './words/index.ts';
import type { Words } from './words/words.ts';

/** The names of one hundredth of a currency. */
const CENTS = 'cents?|centimes?|céntimos?|centavos?|pence|rappen|セント|ペンス|سنت';
const DAY_MS = 86_400_000;

/** The patterns that find facts in one language, created once. */
export interface Patterns {
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
export function patternsOf(language: FactLanguage): Patterns {
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
export function romanOf(text: string): number {
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
