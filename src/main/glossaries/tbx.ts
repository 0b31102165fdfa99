import { parseXml, XmlElement, XmlError } from '@rgrove/parse-xml';
import { baseOf } from '#shared/protocol/languages.ts';

/** What one concept is called, by base language code; empty where it has no name in a language. */
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

function conceptOf(entry: XmlElement): Concept {
	const terms = new Map<string, string[]>();
	for (const section of within(entry, LANGUAGES)) {
		const language = baseOf(
			(section.attributes['xml:lang'] ?? section.attributes['lang'] ?? '').toLowerCase(),
		);
		const names = within(section, TERM).map(({ text }) => text.replaceAll(/\s+/g, ' ').trim());
		terms.set(language, [...(terms.get(language) ?? []), ...names.filter((name) => name !== '')]);
	}
	return (language) => terms.get(baseOf(language)) ?? [];
}

const TERM: ReadonlySet<string> = new Set(['term']);

/** The elements with these names below `element`, only the outermost on each path. */
function within(element: XmlElement, names: ReadonlySet<string>): readonly XmlElement[] {
	return element.children
		.filter((child) => child instanceof XmlElement)
		.flatMap((child) => (names.has(child.name) ? [child] : within(child, names)));
}
