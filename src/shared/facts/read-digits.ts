import type { Words } from './words/words.ts';

/** Digits with their possible separators. */
export const DIGITS = /(?:\d{1,3}(?:[ \u00a0]\d{3}(?!\d))+|\d+)(?:[.,'’٫٬]\d+)*/uy;

/**
 * Possible values of digits: one number, two if the language uses points and commas both ways, none if they are no
 * number (a version, an IP address).
 */
export function readDigits(digits: string, { decimal }: Pick<Words, 'decimal'>): readonly number[] {
	const bare = digits.replace(/(?<=\d)['’٬\u00a0 ](?=\d{3}(?!\d))/gu, '');
	// It is a decimal mark in every language, and what else stands there marks thousands.
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
