import { escapeMarkup } from '#shared/captions/export-formats.ts';
import type { AccountStatus } from '#shared/host/contract.ts';
import { type InterfaceLanguage, interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import { languageName } from '#shared/i18n/language-names.ts';
import { isRightToLeft } from '#shared/protocol/languages.ts';
import { isFree, type Settings } from '#shared/settings/schema.ts';
import { isLanguage, shownPair } from '#shared/settings/shown-pair.ts';
import type { Words } from './words.ts';

/** Facts that the page cannot know before its first script has run. */
export interface FirstPicture {
	readonly language: InterfaceLanguage;
	readonly theme: string;
	readonly motion: string;
	/** `welcome`: no service has been chosen yet. */
	readonly page: 'live' | 'welcome';
	/** Names of the two languages; empty if the window shows something else. */
	readonly pair: readonly [string, string];
	/** The label of Start, and the text shown after a press; null if there is no button yet. */
	readonly start: { readonly label: string; readonly pressed: string } | null;
}

export function firstPictureOf(known: {
	readonly settings: Settings;
	readonly account: Pick<AccountStatus, 'service' | 'key' | 'sandbox'>;
	/** The system's languages, the preferred one first. */
	readonly locales: readonly string[];
	readonly words: Pick<Words, 'tray'>;
}): FirstPicture {
	const { settings, account, words } = known;
	const language = interfaceLanguageFor(settings.interfaceLanguage, known.locales);
	const { spoken, target } = shownPair(settings);
	const named = (value: string) => (isLanguage(value) ? languageName(value, language).label : '');
	const served = isFree(account.service) ? account.sandbox === 'running' : account.key.present;
	// The window checks for other obstacles and shows them when Start is pressed.
	const startable = settings.mode !== 'type' && served;
	return {
		language,
		theme: settings.theme,
		motion: settings.motion,
		page: account.service === 'unset' ? 'welcome' : 'live',
		pair: settings.mode === 'type' ? ['', ''] : [named(spoken), named(target)],
		start: startable ? { label: words.tray.start, pressed: words.tray.working } : null,
	};
}

/** The beginning of `renderer/index.html`. */
export const BARE_ROOT = '<html lang="en" dir="ltr" data-theme="system">';
/** Placeholders in the page: the two languages, Start, its label, and the text shown after a press. */
export const BARE_PAIR = '<i dir="auto"></i><i dir="auto"></i>';
export const BARE_START = ' disabled>';
export const BARE_LABEL = '</button>';
export const BARE_PRESSED = ' popover="manual"></span>';

/** The build links the words of all languages in the page; fetch only those of the shown language. */
const WORDS = /[ \t]*<link [^>]*data-words="([a-z]+)"[^>]*>\n?/g;

/** The window's page, whose first picture, drawn before any script runs, has its final look. */
export function withFirstPicture(
	html: string,
	{ language, theme, motion, page, pair, start }: FirstPicture,
): string {
	const direction = isRightToLeft(language) ? 'rtl' : 'ltr';
	const named = {
		lang: language,
		dir: direction,
		'data-theme': theme,
		'data-motion': motion,
		'data-first': page,
		...(theme === 'contrast' && { 'data-contrast': 'more' }),
	};
	const attributes = Object.entries(named).map(([name, value]) => ` ${name}="${value}"`);
	const dressed = html
		.replace(BARE_ROOT, () => `<html${attributes.join('')}>`)
		.replace(WORDS, (link, of: string) => (of === language ? link : ''))
		.replace(BARE_PAIR, () => pair.map((name) => `<i dir="auto">${escapeMarkup(name)}</i>`).join(''));
	if (!start) return dressed;
	return dressed
		.replace(BARE_START, () => '>')
		.replace(BARE_LABEL, () => `${escapeMarkup(start.label)}</button>`)
		.replace(BARE_PRESSED, () => ` popover="manual">${escapeMarkup(start.pressed)}</span>`);
}
