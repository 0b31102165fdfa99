import { isRightToLeft } from '#shared/protocol/languages.ts';

/** What the page cannot know before its first script has run. */
export interface FirstPicture {
	/** Interface language. */
	readonly language: string;
	readonly theme: string;
	readonly motion: string;
	/** `welcome`: no service has been chosen yet. */
	readonly page: 'live' | 'welcome';
}

/** How `renderer/index.html` begins. */
export const BARE_ROOT = '<html lang="en" dir="ltr" data-theme="system">';

/** The build links the words of every language in the page; only those shown are to be fetched. */
const WORDS = /[ \t]*<link [^>]*data-words="([a-z]+)"[^>]*>\n?/g;

/** The window's page, changed so that its first picture, drawn before any script runs, has its lasting look. */
export function withFirstPicture(html: string, { language, theme, motion, page }: FirstPicture): string {
	const direction = isRightToLeft(language) ? 'rtl' : 'ltr';
	const named = {
		lang: language,
		dir: direction,
		'data-theme': theme,
		'data-motion': motion,
		'data-first': page,
	};
	const attributes = Object.entries(named).map(([name, value]) => ` ${name}="${value}"`);
	return html
		.replace(BARE_ROOT, () => `<html${attributes.join('')}>`)
		.replace(WORDS, (link, of: string) => (of === language ? link : ''));
}
