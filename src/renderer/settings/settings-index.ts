import type { SettingsSection } from '#renderer/shell/navigation.ts';
import { type InterfaceLanguage, interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import type english from '#shared/i18n/settings-search/en.json';

/** All settings in page order: section and key of the label. Synonyms are in `i18n/settings-search/`. */
const index = [
	['preset', 'general', 'presets.title'],
	['voices', 'general', 'settings.voices'],
	['glossaries', 'general', 'glossary.title'],
	['closeLive', 'general', 'closing.label'],
	['pauseWhenQuietS', 'general', 'settings.pauseWhenQuiet'],
	['interfaceLanguage', 'general', 'settings.interfaceLanguage'],
	['theme', 'general', 'settings.theme'],
	['motion', 'general', 'settings.motion'],
	['setup', 'general', 'settings.openSetup'],
	['diagnostics', 'general', 'settings.openDiagnostics'],
	['report', 'general', 'settings.diagnostics'],
	['devices', 'sound', 'settings.changeDevices'],
	['talk', 'sound', 'talk.title'],
	['echoCancellation', 'sound', 'sound.echoCancellation'],
	['gate', 'sound', 'echo.title'],
	['noiseSuppression', 'sound', 'sound.noiseSuppression'],
	['autoGainControl', 'sound', 'sound.autoGainControl'],
	['duck', 'sound', 'sound.duck'],
	['replaySpeed', 'sound', 'replay.speed'],
	['virtualMicrophone', 'sound', 'callRoute.title'],
	['callOutput', 'sound', 'callRoute.output'],
	['callTone', 'sound', 'turnSign.tone'],
	['callOpening', 'sound', 'turnSign.opening'],
	['captionSize', 'captions', 'settings.captionSize'],
	['captionLayout', 'captions', 'captions.arrange'],
	['checkFacts', 'captions', 'facts.setting'],
	['announceCaptions', 'captions', 'settings.announceCaptions'],
	['corrections', 'captions', 'correct.list'],
	['overlay', 'captions', 'overlay.title'],
	['audienceOverlay', 'captions', 'overlay.audience'],
	['overlayLook', 'captions', 'overlay.look'],
	['history', 'privacy', 'history.whenOver'],
	['historyDays', 'privacy', 'history.days'],
	['eraseAll', 'privacy', 'history.eraseAll'],
	['shortcuts', 'shortcuts', 'shortcuts.title'],
	['phrases', 'shortcuts', 'phrases.title'],
	['globalKeys', 'shortcuts', 'shortcuts.globalKeys'],
	['service', 'account', 'settings.service'],
	['key', 'account', 'settings.key'],
	['credit', 'account', 'settings.credit'],
	['sessions', 'account', 'settings.sessions'],
	['voiceToken', 'account', 'settings.voiceToken'],
	['models', 'models', 'models.title'],
	['takeOverHere', 'models', 'models.takeOver'],
	['transport', 'advanced', 'travel.label'],
	['warmIdleS', 'advanced', 'settings.warmIdleS'],
	['expert', 'advanced', 'settings.expert'],
	['apiUrl', 'advanced', 'settings.apiUrl'],
	['s2sUrl', 'advanced', 'settings.s2sUrl'],
	['sttUrl', 'advanced', 'settings.sttUrl'],
	['ttsUrl', 'advanced', 'settings.ttsUrl'],
	['allowedHosts', 'advanced', 'settings.allowedHosts'],
	['proxy', 'advanced', 'proxy.label'],
	['proxyAddress', 'advanced', 'proxy.addressLabel'],
	['logLevel', 'advanced', 'settings.logLevel'],
	['surroundings', 'advanced', 'settings.dataFolder'],
] as const satisfies readonly (readonly [keyof typeof english, SettingsSection, string])[];

export type IndexedSetting = (typeof index)[number][0];

/** Settings whose row is shown only with some values of another setting, and that other setting. */
export const governedBy: Readonly<Partial<Record<IndexedSetting, IndexedSetting>>> = {
	historyDays: 'history',
	proxyAddress: 'proxy',
};

type LabelKey = (typeof index)[number][2];

/** Further search words for settings, in one language. */
export type Synonyms = Readonly<Partial<Record<IndexedSetting, string>>>;

/** One file per language, like the catalogues, because a search uses only one. */
const files: Readonly<Record<InterfaceLanguage, () => Promise<{ readonly default: Synonyms }>>> = {
	en: () => import('#shared/i18n/settings-search/en.json'),
	es: () => import('#shared/i18n/settings-search/es.json'),
	fr: () => import('#shared/i18n/settings-search/fr.json'),
	de: () => import('#shared/i18n/settings-search/de.json'),
	ja: () => import('#shared/i18n/settings-search/ja.json'),
	ar: () => import('#shared/i18n/settings-search/ar.json'),
};

/**
 * Loads the synonyms of a language. Never rejects: without the file, settings are found only by their labels.
 * @param language interface language, BCP 47; an unknown language uses English
 */
export async function loadSynonyms(language: string): Promise<Synonyms> {
	try {
		return (await files[interfaceLanguageFor('system', [language])]()).default;
	} catch {
		return {};
	}
}

export interface FoundSetting {
	readonly name: IndexedSetting;
	readonly section: SettingsSection;
	readonly label: string;
}

/** Every setting with its label in the present language. */
export function indexedSettings(t: (key: LabelKey) => string): readonly FoundSetting[] {
	return index.map(([name, section, label]) => ({ name, section, label: t(label) }));
}

/**
 * Settings whose label or synonyms contain every typed word; label matches come first. An empty search finds nothing.
 */
export function searchSettings(
	settings: readonly FoundSetting[],
	typed: string,
	synonyms: Synonyms,
): readonly FoundSetting[] {
	const words = folded(typed).split(/\s+/).filter(Boolean);
	if (words.length === 0) return [];
	const holdsAll = (text: string) => words.every((word) => folded(text).includes(word));
	const inLabel = settings.filter(({ label }) => holdsAll(label));
	const elsewhere = settings.filter(
		(one) => !inLabel.includes(one) && holdsAll(`${one.label} ${synonyms[one.name] ?? ''}`),
	);
	return [...inLabel, ...elsewhere];
}

function folded(text: string): string {
	return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
