import { DIGITS, readDigits } from './number-parts.ts';
import { decadeOf, type Numeral, withinDecade } from './read-numbers.ts';
import { ja } from './words/ja.ts';

const KANJI = '〇零一二三四五六七八九';
const SMALL_SCALES: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };
const BIG_SCALES: Readonly<Record<string, number>> = { 万: 1e4, 億: 1e8, 兆: 1e12 };
/** Counters, units and similar words; without one of them, numeral characters belong to a word. */
const COUNTED =
	/^(?:[円人代個本枚年月日時分秒回階件台冊歳才号番名度倍点割%週泊杯匹頭室歩便畳巻種社校店軒着足通行桁位世対錠滴箱袋缶瓶皿品票粒玉問曲脚組束%]|つ|か月|ヶ月|カ月|ヵ月|パーセント|ポイント|ダース|ドル|セント|ユーロ|ポンド|キロ|メートル|センチ|グラム|リットル|ページ|フラン|ウォン|ディ|リヤル|ペソ|ルピー|元|番線)/u;
/** Common words that merely resemble a number with its unit. */
const WORDS =
	/^(?:十分|一番|一緒|一度|一日中|一人|一方|一部|一体|一般|一応|一時|一回|百分|万一|千葉|三重|四国|九州|六本木|八百屋|五分五分|二度と|一言|十八番|三日月)/u;
/** "Two hours AND A HALF"; half past two is a time instead. */
const AND_HALF = new RegExp(`${COUNTED.source.replace('時', '')}間?半(?![分ば数期端額])|^時間半`, 'u');
const CLOCK = /(?:[01]?\d|2[0-4]):[0-5]\d(?!\d)/y;

/** The numbers of a Japanese text after `plainOf`: `12万3000`, `三百五十`, `二〇二六`. */
export function japaneseNumeralsIn(plain: string): readonly Numeral[] {
	const found: Numeral[] = [];
	for (let at = 0; at < plain.length; ) {
		const numeral = clockAt(plain, at) ?? digitsAt(plain, at) ?? kanjiAt(plain, at) ?? firstYearAt(plain, at);
		if (numeral) found.push(inItsEra(numeral, plain));
		at = numeral?.end ?? at + 1;
	}
	return found.map((numeral) => inDecade(numeral, plain));
}

/** The year before the first year of each era. */
const ERAS: Readonly<Record<string, number>> = { 令和: 2018, 平成: 1988, 昭和: 1925, 大正: 1911, 明治: 1867 };

/** 令和6年 is 2024. */
function inItsEra(numeral: Numeral, plain: string): Numeral {
	const [number] = numeral.numbers;
	const start = numeral.start - 2;
	const before = ERAS[plain.slice(Math.max(0, start), numeral.start)];
	if (before === undefined || number === undefined) return numeral;
	return { ...numeral, start, numbers: [before + number], strength: 'firm', digits: null };
}

/** 令和元年, the first year of an era. */
function firstYearAt(plain: string, at: number): Numeral | null {
	const isFirst = plain.startsWith('元年', at) && Object.hasOwn(ERAS, plain.slice(Math.max(0, at - 2), at));
	return isFirst ? { start: at, end: at + 1, numbers: [1], strength: 'firm', digits: null } : null;
}

/** 80年代 is 1980年代. */
function inDecade(numeral: Numeral, plain: string): Numeral {
	const [number = 0] = numeral.numbers;
	if (number % 10 === 0 && plain.startsWith('代', numeral.end))
		return { ...numeral, numbers: withinDecade(number), strength: 'loose' };
	if (!plain.startsWith('年代', numeral.end) || number % 10 !== 0) return numeral;
	return { ...numeral, numbers: decadeOf(number) };
}

function clockAt(plain: string, at: number): Numeral | null {
	CLOCK.lastIndex = at;
	const text = /\d/.test(plain[at - 1] ?? '') ? undefined : CLOCK.exec(plain)?.[0];
	if (!text) return null;
	const [hours = 0, minutes = 0] = text.split(':').map(Number);
	return {
		start: at,
		end: at + text.length,
		numbers: [],
		strength: 'firm',
		digits: text,
		clock: { hours, minutes },
	};
}

function digitsAt(plain: string, at: number): Numeral | null {
	if (/(?:\p{Script=Latin}-?|\d)$/u.test(plain.slice(Math.max(0, at - 2), at))) return null;
	DIGITS.lastIndex = at;
	const digits = DIGITS.exec(plain)?.[0];
	if (!digits) return null;
	let [total, current] = [0, readDigits(digits, ja)[0]];
	let end = at + digits.length;
	if (current === undefined) return { start: at, end, numbers: [], strength: 'firm', digits };
	let isPlain = true;
	for (;;) {
		const sign = plain[end] ?? '';
		const scale = BIG_SCALES[sign] ?? SMALL_SCALES[sign];
		if (!scale || current === 0) break;
		isPlain = false;
		end++;
		DIGITS.lastIndex = end;
		const more = DIGITS.exec(plain)?.[0];
		if (scale < 1e4) {
			const after = BIG_SCALES[plain[end] ?? ''];
			if (after) {
				current *= scale;
				continue;
			}
		}
		total += current * scale;
		current = more ? (readDigits(more, ja)[0] ?? 0) : 0;
		end += more?.length ?? 0;
	}
	const number = Number((total + current).toPrecision(15));
	const numbers = plain[end] === '半' ? [number, number + 0.5] : [inUnits(number, plain.slice(end))];
	return {
		start: at,
		end,
		numbers,
		strength: numbers[0] === 1 ? 'loose' : 'firm',
		digits: isPlain ? digits : null,
	};
}

function kanjiAt(plain: string, at: number): Numeral | null {
	const text = /^[〇零一二三四五六七八九十百千万億兆]{1,40}(?:・[〇零一二三四五六七八九]{1,9})?/u.exec(
		plain.slice(at),
	)?.[0];
	// 数百 are some hundreds.
	if (
		!text ||
		/[数何]/u.test(plain[at - 1] ?? '') ||
		(WORDS.test(plain.slice(at)) && !/(?:時|午[前後]|夜)$/u.test(plain.slice(Math.max(0, at - 2), at))) ||
		WORDS.test(plain.slice(at - 1))
	)
		return null;
	const after = plain.slice(at + text.length);
	const number = kanjiNumber(text);
	// A score: 二対〇. A longer number needs no counter: 四八一五 is digits read out, 百三十五 a value. So is 十八 in 十八の病院: の
	// precedes the thing counted.
	const isLong =
		(text.length > 2 || (/.[十百千]|[十百千]./u.test(text) && after.startsWith('の'))) && text.length < 16;
	if (number === null || (!isLong && !COUNTED.test(after) && plain[at - 1] !== '対')) return null;
	const numbers = [inUnits(number, after)];
	const strength = number === 1 ? 'loose' : number <= 12 || text.length === 1 ? 'weak' : 'firm';
	return { start: at, end: at + text.length, numbers, strength, digits: null };
}

/** Adds a half written after the unit, and converts dozens. */
function inUnits(number: number, after: string): number {
	return AND_HALF.test(after) ? number + 0.5 : after.startsWith('ダース') ? number * 12 : number;
}

function kanjiNumber(text: string): number | null {
	const [whole = '', decimals] = text.split('・');
	if (decimals !== undefined) {
		const parts = [kanjiNumber(whole), [...decimals].map((sign) => kanjiNumber(sign)).join('')];
		return parts[0] === null ? null : Number(parts.join('.'));
	}
	if (!/[十百千万億兆]/u.test(text))
		return Number([...text].map((sign) => Math.max(0, KANJI.indexOf(sign) - 1)).join(''));
	let [total, part, unit] = [0, 0, 0];
	for (const sign of text) {
		const small = SMALL_SCALES[sign];
		const big = BIG_SCALES[sign];
		if (small) {
			part += (unit || 1) * small;
			unit = 0;
		} else if (big) {
			total += (part + unit || 1) * big;
			[part, unit] = [0, 0];
		} else {
			if (unit !== 0) return null;
			unit = Math.max(0, KANJI.indexOf(sign) - 1);
		}
	}
	return total + part + unit;
}
