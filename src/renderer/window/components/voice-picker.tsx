import { useTranslation } from 'react-i18next';
import { Select } from '#renderer/ui/select.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { useVoiceOptions } from '#renderer/window/voice-options.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { VOICE } from '#shared/protocol/vocabulary.ts';

export interface VoicePickerProps {
	/** A target language. */
	readonly code: string;
	readonly isDisabled: boolean;
}

/** Which voice speaks a language: built in, or made here. */
export function VoicePicker({ code, isDisabled }: VoicePickerProps) {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const voices = useSetting('voices');
	const voice = voices[code] ?? VOICE.low;
	const options = useVoiceOptions(voice);
	return (
		<Select<string>
			label={t('settings.voiceFor', { language: isolate(languageLabel(code, i18n.language)) })}
			options={options}
			value={voice}
			isDisabled={isDisabled}
			onChange={(next) => void settings.write({ voices: { ...voices, [code]: next } })}
		/>
	);
}
