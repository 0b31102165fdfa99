/**
 * The files a page begins with, few and whole: each is a question to the main process, and a page waits for the
 * last answer. Left alone the bundler cuts them anew wherever a later page shares a part of them, into fifteen.
 */

/** What the captions over other windows are made of as well; their page loads nothing else that is shared. */
const BOTH = [
	/[\\/]node_modules[\\/](?:react|react-dom|scheduler|i18next|react-i18next|zustand|use-sync-external-store|zod)[\\/]/,
	/[\\/]node_modules[\\/]react-aria[\\/]dist[\\/]private[\\/](?:i18n|ssr)[\\/]/,
	/[\\/]src[\\/]shared[\\/](?:commands|diagnosis|host|lib|overlay|protocol|settings|voices)[\\/]/,
	/[\\/]src[\\/]shared[\\/](?:problem|captions[\\/](?:cues|steady))\.ts/,
	/[\\/]src[\\/]renderer[\\/](?:host|breathe|window[\\/](?:components[\\/]caption-box|words[\\/](?:format|i18n|use-words))|ui[\\/](?:icon|hidden|fonts|theme))\b/,
	/vite[\\/](?:preload-helper|modulepreload-polyfill)/,
];
/** Where each page begins: what stands there runs, and is that page's alone. */
const BEGINNINGS = /[\\/]src[\\/]renderer[\\/](?:main\.tsx|index\.html|overlay[\\/])/;

/** What the live page takes up right after its first picture. */
const SOON = /[\\/]src[\\/]renderer[\\/](?:features[\\/]live[\\/]|app[\\/](?:shortcut-sheet|focus-tip))/;

/** What the other pages share among themselves. */
const BY_PAGES =
	/[\\/](?:src[\\/](?:renderer[\\/](?:ui|window|audio)|shared)[\\/](?!i18n)|node_modules[\\/])/;

const group = (name: string, priority: number, test: (id: string) => boolean, wholly: boolean) => ({
	name,
	priority,
	test,
	tags: ['$initial' as const],
	includeDependenciesRecursively: wholly,
});

export const windowFiles = [
	// Its styles alone, which are asked for before all others and are all that the first picture waits for.
	{ name: 'look', priority: 3, test: /[\\/]first-picture\.css/ },
	group('base', 2, (id) => BOTH.some((known) => known.test(id)), true),
	group('first', 1, (id) => !BEGINNINGS.test(id), false),
	{ name: 'soon', test: SOON, includeDependenciesRecursively: true },
	// In pieces it would be thirteen small files more, each of them less well packed.
	{ name: 'pages', test: BY_PAGES, minShareCount: 2 },
];
