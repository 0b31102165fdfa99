import { readFileSync } from 'node:fs';

/**
 * Sections of the catalogues that only pages other than the live one use, and for each the keys that the rest of the
 * window uses all the same. They are in a separate file per language, so that Start does not wait for them.
 */
export const OF_PAGES: Readonly<Record<string, readonly string[]>> = {
	settings: [
		...['title', 'captionSize', 'openDiagnostics', 'voiceByPitch', 'voiceByPitchHint', 'voiceLike'],
		...['voiceLikeHint', 'voiceFor', 'voiceLikeTitle', 'voiceLikeAgree', 'voiceLikeConsent', 'voiceLow'],
		...['voiceHigh', 'voiceOther', 'creditAbout', 'interfaceLanguage'],
	],
	voices: ['title', 'open', 'language', 'invalid', 'consent'],
	diagnosis: ['title'],
	sessions: ['title'],
	glossary: ['title', 'show'],
	recorder: [],
};

type Catalogue = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The words in one of the two files of a language. Both together are the catalogue. */
export function partOf(words: Catalogue, part: 'first' | 'pages'): Catalogue {
	const sections = Object.entries(words).flatMap(([section, all]) => {
		const kept = OF_PAGES[section];
		const own = Object.entries(all).filter(([key]) => (kept?.includes(key) ?? true) === (part === 'first'));
		return own.length > 0 ? [[section, Object.fromEntries(own)]] : [];
	});
	return Object.fromEntries(sections) as Catalogue;
}

const ASKED = /^(.*[#/\\]shared[\\/]i18n[\\/][a-z]{2})\.json\?(first|pages)$/;
/** Not `.json`, which the bundler would parse itself. */
const PART = /^(.*[\\/][a-z]{2})\.(first|pages)\.words$/;

/** The part of a bundler's plugin context that this needs. */
interface Context {
	resolve(asked: string, importer?: string): Promise<{ readonly id: string } | null>;
}

export const wordsApart = {
	name: 'words-apart',
	enforce: 'pre' as const,
	/**
	 * The module that `en.json?first` or `en.json?pages` is. A server that kept what it transformed asks for the module
	 * itself, by its path below the project's root.
	 */
	async resolveId(this: Context, asked: string, importer?: string): Promise<string | null> {
		const [, language, part] = ASKED.exec(asked) ?? PART.exec(asked) ?? [];
		const whole = language && (await this.resolve(`${language}.json`, importer));
		return whole ? whole.id.replace(/\.json$/, `.${part}.words`) : null;
	},
	/** Its words as one text: read sooner than as code, and smaller. */
	load(id: string): { readonly code: string; readonly moduleType: 'js' } | null {
		const [, language, part] = PART.exec(id) ?? [];
		if (part !== 'first' && part !== 'pages') return null;
		const words = JSON.parse(readFileSync(`${language}.json`, 'utf8')) as Catalogue;
		const text = JSON.stringify(JSON.stringify(partOf(words, part)));
		return { code: `export default JSON.parse(${text});`, moduleType: 'js' };
	},
};
