import { byLanguage } from '#shared/captions/copied-text.ts';
import type { InDoubt } from '#shared/captions/export-formats.ts';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import { compareFacts, type Judged } from './compare-facts.ts';
import { findFacts } from './find-facts.ts';
import { factLanguageOf } from './words/index.ts';

/** The facts of one row: of the source, and of each translation by language. */
export interface RowFacts {
	readonly said: readonly Judged[];
	readonly translated: ReadonlyMap<string, readonly Judged[]>;
}

const NONE: RowFacts = { said: [], translated: new Map() };
/** Cache: a row is the same object until it changes. */
const known = new WeakMap<CaptionRow, RowFacts>();

/**
 * Compares the source with its translations if both are final, no longer than a sentence, and in supported
 * languages. A fact of the source is doubtful as soon as one translation lacks it.
 */
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
