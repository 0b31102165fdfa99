import { baseOf } from '#shared/protocol/languages.ts';
import { type Correction, MOST_CORRECTIONS } from './corrections.ts';

/** Corrects one text; returns it unchanged if there is nothing to correct. */
export type Correct = (text: string, language: string) => string;

/** Languages written without spaces between words: a name is corrected wherever its characters occur. */
const WITHOUT_BLANKS = new Set(['zh', 'yue', 'ja', 'th', 'lo', 'km', 'my', 'bo']);

interface Piece {
	readonly index: number;
	readonly segment: string;
}

/** Corrections that begin with the same word. */
interface Beginning {
	readonly byWords: Map<string, Correction>;
	/** Their lengths, longest first. */
	lengths: readonly number[];
}

interface Rules {
	readonly byStart: ReadonlyMap<string, Beginning>;
	readonly piecesOf: (text: string) => readonly Piece[];
	readonly wholeWords: boolean;
}

/**
 * Applies all corrections in one pass over a text: whole words, case and accents as written, longest first. The
 * result of one correction is not corrected by another. The cost depends on the length of the text, not on the
 * number of corrections, even if all begin with the same word. All variants of a language share its corrections;
 * if two have the same words, the later one wins.
 */
export function createCorrect(corrections: readonly Correction[]): Correct {
	const byLanguage = new Map<string, Map<string, Correction>>();
	for (const one of corrections) {
		const [base, wrong] = [baseOf(one.language), asCompared(one.wrong)];
		const known = byLanguage.get(base) ?? new Map<string, Correction>();
		byLanguage.set(base, known.set(wrong, { ...one, wrong }));
	}
	const ready = new Map<string, Rules>();
	for (const [base, known] of byLanguage) ready.set(base, rulesOf(base, [...known.values()]));
	return (text, language) => {
		const rules = ready.get(baseOf(language));
		return rules ? corrected(text, rules) : text;
	};
}

/**
 * Adds a correction, applied to earlier results too; null if the list is full. A word restored to itself has no
 * entry.
 */
export function withCorrection(
	corrections: readonly Correction[],
	{ language, wrong, right }: Correction,
): readonly Correction[] | null {
	const base = baseOf(language);
	const isSame = (one: string, other: string) => asCompared(one) === asCompared(other);
	const next = corrections
		.map((one) => (baseOf(one.language) === base && isSame(one.right, wrong) ? { ...one, right } : one))
		.filter((one) => baseOf(one.language) !== base || !isSame(one.wrong, wrong))
		.concat({ language: base, wrong: asCompared(wrong), right: right.trim() })
		.filter((one) => !isSame(one.wrong, one.right));
	return next.length > MOST_CORRECTIONS ? null : next;
}

/** Adds a table's corrections as the newest, which win for the same words. Null: there would be too many. */
export function withCorrections(
	corrections: readonly Correction[],
	more: readonly Correction[],
): readonly Correction[] | null {
	const all = new Map<string, Correction>();
	for (const one of [...corrections, ...more]) {
		const key = `${baseOf(one.language)} ${asCompared(one.wrong)}`;
		all.delete(key);
		if (asCompared(one.right) !== asCompared(one.wrong)) all.set(key, one);
	}
	return all.size > MOST_CORRECTIONS ? null : [...all.values()];
}

/** The words of a text, in order, each once: a correction can begin with any of them. */
export function wordsIn(text: string, language: string): readonly string[] {
	const words = [...segmenterOf(baseOf(language), true).segment(text)].filter(({ isWordLike }) => isWordLike);
	return [...new Set(words.map(({ segment }) => segment))];
}

/** Normalised for comparison: one Unicode form, each gap a single space. */
export function asCompared(text: string): string {
	return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

function rulesOf(base: string, corrections: readonly Correction[]): Rules {
	const wholeWords = !WITHOUT_BLANKS.has(base);
	const segmenter = segmenterOf(base, wholeWords);
	const piecesOf = (text: string) => [...segmenter.segment(text)].flatMap(atApostrophes);
	const byStart = new Map<string, Beginning>();
	for (const one of corrections) {
		const [first] = piecesOf(one.wrong);
		if (!first) continue;
		const same = byStart.get(first.segment);
		if (same) same.byWords.set(one.wrong, one);
		else byStart.set(first.segment, { byWords: new Map([[one.wrong, one]]), lengths: [] });
	}
	for (const same of byStart.values()) {
		const lengths = new Set([...same.byWords.keys()].map((words) => words.length));
		same.lengths = [...lengths].sort((a, b) => b - a);
	}
	return { byStart, piecesOf, wholeWords };
}

function segmenterOf(base: string, wholeWords: boolean): Intl.Segmenter {
	const options = { granularity: wholeWords ? 'word' : 'grapheme' } as const;
	try {
		return new Intl.Segmenter(base, options);
	} catch {
		// Language codes come from the service and may be invalid.
		return new Intl.Segmenter('en', options);
	}
}

/** Unicode treats `Anna’s` and `l’Anna` as one word; people see the name in them as a word of its own. */
function atApostrophes({ index, segment }: Piece): readonly Piece[] {
	if (!/['’]/.test(segment)) return [{ index, segment }];
	let at = index;
	return segment.split(/(['’])/).map((part) => {
		const piece = { index: at, segment: part };
		at += part.length;
		return piece;
	});
}

function corrected(given: string, { byStart, piecesOf, wholeWords }: Rules): string {
	const text = given.normalize('NFC');
	const pieces = piecesOf(text);
	const starts = new Set(pieces.map(({ index }) => index));
	let done = '';
	let upTo = 0;
	for (const { index, segment } of pieces) {
		if (index < upTo) continue;
		const found = correctionAt(index, byStart.get(segment));
		if (!found) continue;
		done += text.slice(upTo, index) + found.right;
		upTo = index + found.wrong.length;
	}
	return upTo === 0 ? given : done + text.slice(upTo);

	function correctionAt(index: number, same: Beginning | undefined): Correction | undefined {
		const length = same?.lengths.find(
			(one) => same.byWords.has(text.slice(index, index + one)) && isEnd(index + one),
		);
		return length === undefined ? undefined : same?.byWords.get(text.slice(index, index + length));
	}

	function isEnd(at: number): boolean {
		return !wholeWords || at === text.length || starts.has(at);
	}
}
