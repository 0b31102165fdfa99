import { useState } from 'react';
import { useStore } from 'zustand';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useIsLocal, useParts, useSetting } from '#renderer/shell/parts.ts';
import { Select, type SelectOption } from '#renderer/ui/select.tsx';
import { fixedVoice, SPEAKERS_VOICE } from '#shared/conversation/choices.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { VOICE } from '#shared/protocol/vocabulary.ts';

export interface VoicePickerProps {
	/** The target language whose voice is chosen. */
	readonly code: string;
	readonly isDisabled: boolean;
}

/** Chooses the voice of a language: built in, created here, or like the speaker's. */
export function VoicePicker({ code, isDisabled }: VoicePickerProps) {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const isLocal = useIsLocal();
	const voices = useSetting('voices');
	const voice = voices[code] ?? fixedVoice(undefined);
	const [asking, setAsking] = useState(false);
	const fromSpeaker: readonly SelectOption<string>[] = [
		{
			value: SPEAKERS_VOICE.byPitch,
			label: t('settings.voiceByPitch'),
			hint: t('settings.voiceByPitchHint'),
		},
		{ value: SPEAKERS_VOICE.like, label: t('settings.voiceLike'), hint: t('settings.voiceLikeHint') },
	];
	// This computer cannot imitate a voice; a choice made earlier is still shown.
	const offered = fromSpeaker.filter((option) => !isLocal || option.value === voice);
	const options = [...useVoiceOptions(fixedVoice(voice)), ...offered];

	function write(next: string): void {
		void settings.write({ voices: { ...voices, [code]: next } });
	}

	return (
		<>
			<Select<string>
				label={t('settings.voiceFor', { language: isolate(languageLabel(code, i18n.language)) })}
				options={options}
				value={voice}
				isDisabled={isDisabled}
				onChange={(next) => (next === SPEAKERS_VOICE.like ? setAsking(true) : write(next))}
			/>
			<AskDialog
				role="alertdialog"
				title={t('settings.voiceLikeTitle')}
				isOpen={asking}
				onClose={() => setAsking(false)}
				verb={t('settings.voiceLikeAgree')}
				onDo={() => {
					setAsking(false);
					write(SPEAKERS_VOICE.like);
				}}
			>
				<p>{t('settings.voiceLikeConsent')}</p>
			</AskDialog>
		</>
	);
}

export interface VoiceOption {
	/** Value of `speech_generation.voice_id`. */
	readonly value: string;
	readonly label: string;
}

/** The voices to choose from: built in, created here and ready, and always `current`. */
export function useVoiceOptions(current: string): readonly VoiceOption[] {
	const { t } = useTranslation();
	const { voices: mirror } = useParts();
	const isLocal = useIsLocal();
	const voices = useStore(mirror.store, (view) => view.voices);
	const builtIn = useStore(mirror.store, (view) => view.builtIn);
	const options: VoiceOption[] = [
		{ value: VOICE.low, label: t('settings.voiceLow') },
		{ value: VOICE.high, label: t('settings.voiceHigh') },
	];
	const add = (value: string, label: string) => {
		if (!options.some((option) => option.value === value)) options.push({ value, label });
	};
	for (const id of builtIn) add(id, isolate(id));
	// These voices exist only at the service that created them.
	if (!isLocal) for (const entry of voices) if (isReady(entry)) add(entry.voiceId, isolate(entry.name));
	const known = voices.find(({ voiceId }) => voiceId === current);
	add(current, known ? isolate(known.name) : t('settings.voiceOther', { id: isolate(current) }));
	return options;
}

export function isReady(entry: VoiceEntry): entry is VoiceEntry & { readonly voiceId: string } {
	return entry.status === 'ready' && entry.voiceId !== null;
}
