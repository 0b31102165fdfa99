import { readFileSync } from 'node:fs';

/**
 * Groups the files that a page loads first into a few: each is a request to the main process, and a page waits
 * for the last answer. By default the bundler splits them into fifteen, wherever a later page shares some
 * modules.
 */

/** Shared with the page of the captions over other windows, which loads no other shared code. */
const BOTH = [
	/[\\/]node_modules[\\/](?:react|react-dom|scheduler|zustand|use-sync-external-store|zod)[\\/]/,
	/[\\/]node_modules[\\/]react-aria[\\/]dist[\\/]private[\\/](?:i18n|ssr)[\\/]/,
	/[\\/]src[\\/]shared[\\/](?:keys|diagnosis|host|lib|overlay|protocol|settings|voices)[\\/]/,
	/[\\/]src[\\/]shared[\\/](?:problem|captions[\\/](?:cues|steady))\.ts/,
	/[\\/]src[\\/]renderer[\\/](?:host|breathe|system-clock|captions[\\/]caption-box|i18n[\\/](?:format|i18n|use-translation|use-words)|ui[\\/](?:icon|hidden|fonts|theme))\b/,
	/vite[\\/](?:preload-helper|modulepreload-polyfill)/,
];
/** The entry of each page: its code runs at once, and only that page uses it. */
const BEGINNINGS =
	/[\\/]src[\\/]renderer[\\/](?:main\.tsx|index\.html|overlay[\\/](?!overlay-(?:commands|feed)))/;

/** Modules that the live page loads right after its first paint. */
const SOON =
	/[\\/]src[\\/]renderer[\\/](?:(?:live|guests|languages)[\\/]|captions[\\/](?!caption-box|correct-word|fact-chips).*\.tsx|sound[\\/].*\.tsx|typing[\\/]type-box|.*-notices?\.tsx|history[\\/]keep-question|keys[\\/]shortcut-sheet|shell[\\/]focus-tip)/;

/** Modules that only the other pages share. */
const BY_PAGES = /[\\/](?:src[\\/](?:renderer|shared)[\\/](?!i18n[\\/].*(?:json|words)$)|node_modules[\\/])/;

const group = (name: string, priority: number, test: (id: string) => boolean, wholly: boolean) => ({
	name,
	priority,
	test,
	tags: ['$initial' as const],
	includeDependenciesRecursively: wholly,
});

export const windowFiles = [
	// Only styles: requested before all other files, and the only ones that the first paint waits for.
	{ name: 'look', priority: 3, test: /[\\/]first-picture\.css/ },
	group('base', 2, (id) => BOTH.some((known) => known.test(id)), true),
	group('first', 1, (id) => !BEGINNINGS.test(id), false),
	{ name: 'soon', test: SOON, includeDependenciesRecursively: true },
	// Split up, this would be thirteen more small files, each compressed less well.
	{ name: 'pages', test: BY_PAGES, minShareCount: 2 },
];

/** The styles of the first paint: the only ones it waits for. */
const LOOK = /\/look-[^"/]*\.css"/;
const LOOK_LINK = /<link rel="stylesheet"[^>]*href="\.\/([^"]*\/look-[^"/]*\.css)">/;
const STYLES = /[ \t]*<link rel="stylesheet"[^>]*>\n?/g;
/** The texts of a language that the first paint needs. */
const FIRST_WORDS = /[\\/]shared[\\/]i18n[\\/]([a-z]{2})\.first\.words$/;

/**
 * Moves all other styles of the page after the first paint, so that they do not delay it. No script of the page
 * runs before they are loaded: the browser blocks scripts after a style sheet that is still loading.
 */
export function behindPicture(html: string): string {
	if (!LOOK.test(html)) return html;
	let later = '';
	const without = html.replace(STYLES, (link) => {
		if (LOOK.test(link)) return link;
		later += link;
		return '';
	});
	return without.replace('\t</body>', () => `${later}\t</body>`);
}

interface Bundle {
	readonly [file: string]: {
		readonly facadeModuleId?: string | null;
		readonly source?: string | Uint8Array;
	};
}

/**
 * Inserts the styles of the first paint into the page itself, so that it is painted before any other file is
 * loaded.
 */
export function withLook(html: string, bundle: Bundle): string {
	return html.replace(LOOK_LINK, (link, file: string) => {
		const source = bundle[file]?.source;
		return source === undefined ? link : `<style>${String(source).trim()}</style>`;
	});
}

/**
 * Adds to the page a link to the file of each language's texts, which it would otherwise request only once its
 * code runs; main knows the language and keeps only one of the links (`main/app/first-picture.ts`).
 */
export function withWords(html: string, bundle: Bundle): string {
	if (!LOOK.test(html)) return html;
	const links = Object.entries(bundle).flatMap(([file, { facadeModuleId }]) => {
		const language = FIRST_WORDS.exec(facadeModuleId ?? '')?.[1];
		return language
			? [`\t\t<link rel="modulepreload" crossorigin data-words="${language}" href="./${file}">\n`]
			: [];
	});
	return html.replace('\t</head>', () => `${links.join('')}\t</head>`);
}

/** Arranges the page's requests and their order. */
export const pageLinks = {
	name: 'page-links',
	transformIndexHtml: {
		order: 'post' as const,
		handler: (html: string, { bundle }: { readonly bundle?: Bundle | undefined }) =>
			withLook(withWords(behindPicture(html), bundle ?? {}), bundle ?? {}),
	},
};

const ALL: readonly string[] = [];

/**
 * What the window needs before Start, by section of the catalogues: the first paint, and saying that more cannot be
 * loaded. All other texts are in a second file per language, which is fetched right after the first paint.
 */
export const FIRST: Readonly<Record<string, readonly string[]>> = {
	app: ALL,
	mode: ALL,
	live: ALL,
	phase: ALL,
	awaiting: ALL,
	block: ALL,
	safeMode: ALL,
	captions: [
		...['title', 'empty', 'emptyHint', 'emptyListen', 'emptyListenHint', 'emptyMeeting', 'emptyMeetingHint'],
		...['emptyFace', 'emptyFaceHint', 'emptyWritten', 'emptyHintWritten', 'notYetHint', 'announcements'],
		...['listening', 'listeningHint', 'listeningMeetingHint', 'listeningOthersHint', 'listeningWrittenHint'],
		'lost',
	],
	languages: ['title', 'understand', 'theySpeak', 'speak', 'hear', 'read', 'swap', 'detect', 'noTranslation'],
	legs: ['listenSource', 'callSetUp', 'callChoose', 'callUsed', 'mine', 'theirs'],
	sound: ['title', 'open', 'microphoneLevel'],
	face: ['they'],
	guests: ['open'],
	typing: ['box'],
	history: ['title', 'open'],
	voices: ['title', 'open'],
	settings: ['title'],
	sessions: ['title'],
	glossary: ['title'],
	diagnosis: ['title'],
	setup: ['title', 'banner', 'continue', 'notNow'],
	travel: ['websocket', 'fellBack', 'back'],
	recovery: ['retry', 'copy-report'],
	problem: ['bug', 'details'],
};

type Catalogue = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The texts in one of the two files of a language. Both together are the whole catalogue. */
export function partOf(words: Catalogue, part: 'first' | 'pages'): Catalogue {
	const sections = Object.entries(words).flatMap(([section, all]) => {
		const needed = FIRST[section];
		const isFirst = (key: string) => needed !== undefined && (needed === ALL || needed.includes(key));
		const own = Object.entries(all).filter(([key]) => isFirst(key) === (part === 'first'));
		return own.length > 0 ? [[section, Object.fromEntries(own)]] : [];
	});
	return Object.fromEntries(sections) as Catalogue;
}

const ASKED = /^(.*[#/\\]shared[\\/]i18n[\\/][a-z]{2})\.json\?(first|pages)$/;
/** The extension is not `.json`, because the bundler would parse such a file itself. */
const PART = /^(.*[\\/][a-z]{2})\.(first|pages)\.words$/;

/** The properties of a bundler's plugin context that we need. */
interface Context {
	resolve(asked: string, importer?: string): Promise<{ readonly id: string } | null>;
}

export const wordsApart = {
	name: 'words-apart',
	enforce: 'pre' as const,
	/**
	 * Resolves `en.json?first` or `en.json?pages` to its module. A development server with cached output
	 * requests the module itself, by its path below the project's root.
	 */
	async resolveId(this: Context, asked: string, importer?: string): Promise<string | null> {
		const [, language, part] = ASKED.exec(asked) ?? PART.exec(asked) ?? [];
		const whole = language && (await this.resolve(`${language}.json`, importer));
		return whole ? whole.id.replace(/\.json$/, `.${part}.words`) : null;
	},
	/** Returns the texts as one string: parsed faster than code, and smaller. */
	load(id: string): { readonly code: string; readonly moduleType: 'js' } | null {
		const [, language, part] = PART.exec(id) ?? [];
		if (part !== 'first' && part !== 'pages') return null;
		const words = JSON.parse(readFileSync(`${language}.json`, 'utf8')) as Catalogue;
		const text = JSON.stringify(JSON.stringify(partOf(words, part)));
		return { code: `export default JSON.parse(${text});`, moduleType: 'js' };
	},
};
