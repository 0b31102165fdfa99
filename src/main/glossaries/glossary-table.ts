import { parseXml, XmlElement, XmlError } from '@rgrove/parse-xml';
import { type InvalidTable, invalidTable, oneFault, recordsOf } from '#main/lib/read-csv.ts';
import { isXml, TABLE_HEADS } from '#shared/glossaries/table-heads.ts';
import { languageName } from '#shared/i18n/language-names.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { TableFault } from '#shared/problem.ts';
import { GLOSSARY_MOST_BYTES, type GlossaryKind } from '#shared/protocol/glossary.ts';
import { baseOf, localeTag, sameLanguage } from '#shared/protocol/languages.ts';

/** Longest term, UTF-16 units; a column with longer texts, such as sentences, is another kind of file. */
const LONGEST_TERM = 500;

/** True if a row names the columns: by one of those words, or each by its language, as a code or a name. */
function isHead(cells: readonly string[], { source, target }: TableFor): boolean {
	const [first = '', second = ''] = cells;
	const isPair = source !== target && isNameOf(first, source) && isNameOf(second, target);
	return TABLE_HEADS.test(first) || isPair;
}

function isNameOf(cell: string, language: string): boolean {
	if (cell === '' || language === '') return false;
	const { native, english } = languageName(baseOf(language), 'en');
	const typed = cell.toLowerCase();
	return sameLanguage(typed, language) || [native, english].some((name) => name.toLowerCase() === typed);
}

/** The rows of a table, or what is wrong in it, by line. */
type TableReading = Result<readonly (readonly string[])[], InvalidTable>;

interface TableFor {
	readonly kind: GlossaryKind;
	/** Language codes, for files with several languages. */
	readonly source: string;
	readonly target: string;
}

/** Reads a glossary's rows from a table, or from TBX its terms in these languages. Skips repeated rows. */
export function readTable(text: string, wanted: TableFor): TableReading {
	if (Buffer.byteLength(text) > GLOSSARY_MOST_BYTES) return oneFault(0, 'too-large');
	return isXml(text) ? readTerms(text, wanted) : readColumns(text, wanted);
}

/** For each concept, its names in the source language, each with the first name in the target language. */
function readTerms(text: string, { kind, source, target }: TableFor): TableReading {
	const concepts = readTbx(text);
	if ('line' in concepts) return oneFault(concepts.line, 'tbx');
	const pairs = concepts.flatMap((namesIn) => {
		const [translated] = namesIn(target);
		if (kind === 'asr_hot') return namesIn(source).map((name) => [name]);
		return translated === undefined ? [] : namesIn(source).map((name) => [name, translated]);
	});
	const rows = new Map<string, readonly string[]>();
	for (const row of pairs) {
		const [name = ''] = row;
		// A name that two concepts share takes its meaning from the first.
		if (!rows.has(name) && row.every((one) => one.length <= LONGEST_TERM)) rows.set(name, row);
	}
	return kind === 'asr' || rows.size === 0 ? oneFault(0, 'nothing') : ok([...rows.values()]);
}

/** Reads a table of two columns, or one for words to listen for. Skips empty lines and repeated rows. */
function readColumns(text: string, wanted: TableFor): TableReading {
	const columns = wanted.kind === 'asr_hot' ? 1 : 2;
	const found = recordsOf(text, columns);
	if ('line' in found) return oneFault(found.line, 'quotes');
	const [first] = found;
	const records = first && isHead(first.cells, wanted) ? found.slice(1) : found;
	const faults: TableFault[] = [];
	const rows: (readonly string[])[] = [];
	const seen = new Map<string, string>();
	for (const { line, cells } of records) {
		const fault = faultIn(cells, columns);
		const [source = '', target = ''] = cells;
		const before = seen.get(source);
		if (fault) faults.push({ line, reason: fault });
		else if (before !== undefined && before !== target) faults.push({ line, reason: 'repeated' });
		else if (before === undefined) {
			seen.set(source, target);
			rows.push(cells);
		}
	}
	if (faults.length === 0 && rows.length === 0) return oneFault(0, 'nothing');
	if (faults.length === 0) return ok(rows);
	return invalidTable(faults);
}

function faultIn(cells: readonly string[], columns: number): TableFault['reason'] | null {
	if (cells.length !== columns) return columns === 1 ? 'one-column' : 'two-columns';
	if (cells.some((cell) => cell === '')) return 'empty';
	return cells.some((cell) => cell.length > LONGEST_TERM) ? 'too-long' : null;
}

/**
 * The names of a concept in a language, whatever the variant: first in the variant asked for, then in the
 * language as such, then in other variants; names that should not be used any more come last. Empty if it has
 * no name in it.
 */
type Concept = (language: string) => readonly string[];

const CONCEPTS: ReadonlySet<string> = new Set(['termEntry', 'conceptEntry']);
const LANGUAGES: ReadonlySet<string> = new Set(['langSet', 'langSec']);

/** The concepts of a TBX file, in the older form (ISO 30042:2008) or the newer; or the line at which it is not valid. */
function readTbx(text: string): readonly Concept[] | { readonly line: number } {
	try {
		const { root } = parseXml(text.replace(/^\uFEFF/, ''), { ignoreUndefinedEntities: true });
		if (!root || !/^(martif|tbx)$/i.test(root.name)) return { line: 1 };
		return within(root, CONCEPTS).map(conceptOf);
	} catch (thrown) {
		// The parser cannot handle endless nesting.
		return { line: thrown instanceof XmlError ? thrown.line : 1 };
	}
}

interface Name {
	/** Language tag as in the file: BCP 47 in lower case. */
	readonly language: string;
	readonly text: string;
	readonly isDeprecated: boolean;
}

function conceptOf(entry: XmlElement): Concept {
	const names = within(entry, LANGUAGES).flatMap(namesIn);
	return (language) => {
		const tag = localeTag(language).toLowerCase();
		const rankOf = ({ language: own, isDeprecated }: Name) =>
			(isDeprecated ? 3 : 0) + [tag, baseOf(language), own].indexOf(own);
		return names
			.filter((name) => sameLanguage(name.language, language))
			.sort((a, b) => rankOf(a) - rankOf(b))
			.map(({ text }) => text);
	};
}

function namesIn(section: XmlElement): readonly Name[] {
	const named = (section.attributes['xml:lang'] ?? section.attributes['lang'] ?? '')
		.toLowerCase()
		.replaceAll('_', '-');
	const language = SCRIPTS.get(named) ?? named;
	return within(section, UNITS).flatMap((unit) => {
		const isDeprecated = DEPRECATED.test(unit.text);
		return (TERM.has(unit.name) ? [unit] : within(unit, TERM))
			.map((term) => ({ language, text: term.text.replaceAll(/\s+/g, ' ').trim(), isDeprecated }))
			.filter(({ text }) => text !== '');
	});
}

const TERM: ReadonlySet<string> = new Set(['term']);
/** Elements that hold a term and its notes. */
const UNITS: ReadonlySet<string> = new Set(['tig', 'ntig', 'termSec', ...TERM]);
const DEPRECATED = /deprecatedTerm-admn-sts/;
/** The script of Chinese by country, because the service distinguishes scripts. */
const SCRIPTS: ReadonlyMap<string, string> = new Map([
	['zh-cn', 'zh-hans'],
	['zh-tw', 'zh-hant'],
]);

/** The elements with these names below `element`, only the outermost on each path. */
function within(element: XmlElement, names: ReadonlySet<string>): readonly XmlElement[] {
	return element.children
		.filter((child) => child instanceof XmlElement)
		.flatMap((child) => (names.has(child.name) ? [child] : within(child, names)));
}
