import { parseXml, XmlElement, XmlError } from '@rgrove/parse-xml';
import { baseOf, localeTag, sameLanguage } from '#shared/protocol/languages.ts';

/**
 * What one concept is called in a language, whatever the variant: first in the variant asked for, then in the language as
 * such, then in other variants; names that should not be used any more come last. Empty where it has no name in it.
 */
export type Concept = (language: string) => readonly string[];

const CONCEPTS: ReadonlySet<string> = new Set(['termEntry', 'conceptEntry']);
const LANGUAGES: ReadonlySet<string> = new Set(['langSet', 'langSec']);

/** Is it XML? A table of terms never begins like that. */
export function isXml(text: string): boolean {
	return /^\uFEFF?\s*<(?:[?!]|martif|tbx)/i.test(text);
}

/** The concepts of a TBX file, in the older form (ISO 30042:2008) or the newer; or the line at which it is not valid. */
export function readTbx(text: string): readonly Concept[] | { readonly line: number } {
	try {
		const { root } = parseXml(text.replace(/^\uFEFF/, ''), { ignoreUndefinedEntities: true });
		if (!root || !/^(martif|tbx)$/i.test(root.name)) return { line: 1 };
		return within(root, CONCEPTS).map(conceptOf);
	} catch (thrown) {
		// Endless nesting is too much for the parser.
		return { line: thrown instanceof XmlError ? thrown.line : 1 };
	}
}

interface Name {
	/** As files name it: BCP 47 in lower case. */
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
/** What holds a term and the notes on it. */
const UNITS: ReadonlySet<string> = new Set(['tig', 'ntig', 'termSec', ...TERM]);
const DEPRECATED = /deprecatedTerm-admn-sts/;
/** Chinese by country: the service tells it apart by script. */
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
