/** The styles of the first picture: the only ones it waits for. */
const LOOK = /\/look-[^"/]*\.css"/;
const STYLES = /[ \t]*<link rel="stylesheet"[^>]*>\n?/g;

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

export const firstStyles = {
	name: 'first-styles',
	transformIndexHtml: { order: 'post' as const, handler: behindPicture },
};
