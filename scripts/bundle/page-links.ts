/** The styles of the first picture: the only ones it waits for. */
const LOOK = /\/look-[^"/]*\.css"/;
const LOOK_LINK = /<link rel="stylesheet"[^>]*href="\.\/([^"]*\/look-[^"/]*\.css)">/;
const STYLES = /[ \t]*<link rel="stylesheet"[^>]*>\n?/g;
/** The words of a language that the first picture has. */
const WORDS = /[\\/]shared[\\/]i18n[\\/]([a-z]{2})\.first\.words$/;

/**
 * Moves all other styles of the page after the first picture, so that it is painted without them. No script of the page
 * runs before they are there: the browser blocks scripts that come after a style sheet that is still loading.
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

/** Puts the styles of the first picture into the page itself: it is painted before any other file is there. */
export function withLook(html: string, bundle: Bundle): string {
	return html.replace(LOOK_LINK, (link, file: string) => {
		const source = bundle[file]?.source;
		return source === undefined ? link : `<style>${String(source).trim()}</style>`;
	});
}

/**
 * Adds to the page a link to the file of each language's words, which it would otherwise request only once its code runs; main, which
 * knows the language, keeps only one of them (`main/app/first-picture.ts`).
 */
export function withWords(html: string, bundle: Bundle): string {
	if (!LOOK.test(html)) return html;
	const links = Object.entries(bundle).flatMap(([file, { facadeModuleId }]) => {
		const language = WORDS.exec(facadeModuleId ?? '')?.[1];
		return language
			? [`\t\t<link rel="modulepreload" crossorigin data-words="${language}" href="./${file}">\n`]
			: [];
	});
	return html.replace('\t</head>', () => `${links.join('')}\t</head>`);
}

/** Arranges what the page requests, and in which order. */
export const pageLinks = {
	name: 'page-links',
	transformIndexHtml: {
		order: 'post' as const,
		handler: (html: string, { bundle }: { readonly bundle?: Bundle | undefined }) =>
			withLook(withWords(behindPicture(html), bundle ?? {}), bundle ?? {}),
	},
};
