/**
 * The files a page begins with, few and whole: each is a request to the main process, and a page waits for the
 * last answer. Left alone, the bundler splits them wherever a later page shares a part of them, into fifteen.
 */

/** Shared with the page of the captions over other windows, which loads nothing else that is shared. */
const BOTH = [
	/[\\/]node_modules[\\/](?:react|react-dom|scheduler|i18next|react-i18next|zustand|use-sync-external-store|zod)[\\/]/,
	/[\\/]node_modules[\\/]react-aria[\\/]dist[\\/]private[\\/](?:i18n|ssr)[\\/]/,
	/[\\/]src[\\/]shared[\\/](?:keys|diagnosis|host|lib|overlay|protocol|settings|voices)[\\/]/,
	/[\\/]src[\\/]shared[\\/](?:problem|captions[\\/](?:cues|steady))\.ts/,
	/[\\/]src[\\/]renderer[\\/](?:host|breathe|system-clock|captions[\\/]caption-box|i18n[\\/](?:format|i18n|use-words)|ui[\\/](?:icon|hidden|fonts|theme))\b/,
	/vite[\\/](?:preload-helper|modulepreload-polyfill)/,
];
/** The entry of each page: its code runs at once, and belongs to that page alone. */
const BEGINNINGS =
	/[\\/]src[\\/]renderer[\\/](?:main\.tsx|index\.html|overlay[\\/](?!overlay-(?:commands|feed)))/;

/** What the live page loads right after its first picture. */
const SOON =
	/[\\/]src[\\/]renderer[\\/](?:(?:live|guests|languages)[\\/]|captions[\\/](?!caption-box|correct-dialog|fact-chips).*\.tsx|sound[\\/].*\.tsx|typing[\\/]type-box|.*-notices?\.tsx|history[\\/]keep-question|keys[\\/]shortcut-sheet|shell[\\/]focus-tip)/;

/** What the other pages share with each other. */
const BY_PAGES = /[\\/](?:src[\\/](?:renderer|shared)[\\/](?!i18n[\\/].*(?:json|words)$)|node_modules[\\/])/;

const group = (name: string, priority: number, test: (id: string) => boolean, wholly: boolean) => ({
	name,
	priority,
	test,
	tags: ['$initial' as const],
	includeDependenciesRecursively: wholly,
});

export const windowFiles = [
	// Only styles: requested before all others, and all that the first picture waits for.
	{ name: 'look', priority: 3, test: /[\\/]first-picture\.css/ },
	group('base', 2, (id) => BOTH.some((known) => known.test(id)), true),
	group('first', 1, (id) => !BEGINNINGS.test(id), false),
	{ name: 'soon', test: SOON, includeDependenciesRecursively: true },
	// Split up, it would be thirteen more small files, each compressed less well.
	{ name: 'pages', test: BY_PAGES, minShareCount: 2 },
];
