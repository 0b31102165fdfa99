/** The styles of the first picture: the only ones it waits for. */
const LOOK = /\/look-[^"/]*\.css"/;
const LOOK_LINK = /<link rel="stylesheet"[^>]*href="\.\/([^"]*\/look-[^"/]*\.css)">/;
const STYLES = /[ \t]*<link rel="stylesheet"[^>]*>\n?/g;
/** The words of a language that the first picture has. */
const WORDS = /[\\/]shared[\\/]i18n[\\/]([a-z]{2})\.first\.words$/;

/**
 * Puts all other styles of the page behind the first picture, so that it is painted without them. No script of the page
 * runs before they are there: the browser holds back what stands behind a style sheet that is still on its way.
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
 * Names in the page the file of each language's words, which the page would ask for only once its code runs; main, which
 * knows the language, leaves one of them (`main/app/first-picture.ts`).
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

/** What the page asks for, and in which order. */
export const pageLinks = {
	name: 'page-links',
	transformIndexHtml: {
		order: 'post' as const,
		handler: (html: string, { bundle }: { readonly bundle?: Bundle | undefined }) =>
			withLook(withWords(behindPicture(html), bundle ?? {}), bundle ?? {}),
	},
};
