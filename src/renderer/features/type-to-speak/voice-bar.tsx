import { useTranslation } from 'react-i18next';
import { SearchCombo } from '#renderer/ui/search-combo.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { useVoiceOptions } from '#renderer/window/voice-options.ts';
import { languageItem, languageValue } from '#renderer/window/words/language-item.ts';
import { languageName } from '#shared/i18n/language-names.ts';
import { languageNames, searchLanguages } from '#shared/i18n/language-search.ts';
import { SPOKEN_LANGUAGES } from '#shared/protocol/languages.ts';
import type { SpokenVoice } from '#shared/speaking/queue.ts';
import styles from './type-page.module.css';

/** The language and voice for the next typed text. */
export function VoiceBar({ voice }: { readonly voice: SpokenVoice }) {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const voices = useSetting('voices');
	const { language, voiceId } = voice;
	const shown = languageName(language, i18n.language);
	const options = useVoiceOptions(voiceId);

	return (
		<div className={styles.voice}>
			<SearchCombo
				label={t('typed.language')}
				showLabel={t('languages.show')}
				emptyText={t('languages.none')}
				value={language}
				{...languageValue(shown)}
				sectionsFor={(typed) => [
					{
						id: 'all',
						title: t('languages.all'),
						items: searchLanguages(languageNames(SPOKEN_LANGUAGES, i18n.language), typed).map(languageItem),
					},
				]}
				onChoose={(code) => void settings.write({ typedLanguage: code })}
			/>
			<Select<string>
				label={t('typed.voice')}
				options={options}
				value={voiceId}
				onChange={(next) => void settings.write({ voices: { ...voices, [language]: next } })}
			/>
		</div>
	);
}
