import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useParts } from '#renderer/shell/parts.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import { VOICE } from '#shared/protocol/vocabulary.ts';

export interface VoiceOption {
	/** For `speech_generation.voice_id`. */
	readonly value: string;
	readonly label: string;
}

/** The voices that can be chosen: built in, made here and ready, and `current` whatever it is. */
export function useVoiceOptions(current: string): readonly VoiceOption[] {
	const { t } = useTranslation();
	const { account, voices: mirror } = useParts();
	const isLocal = useStore(account.store, ({ status }) => status.service === 'local');
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
	// A service made them, and only it has them.
	if (!isLocal) for (const entry of voices) if (isReady(entry)) add(entry.voiceId, isolate(entry.name));
	const known = voices.find(({ voiceId }) => voiceId === current);
	add(current, known ? isolate(known.name) : t('settings.voiceOther', { id: isolate(current) }));
	return options;
}

export function isReady(entry: VoiceEntry): entry is VoiceEntry & { readonly voiceId: string } {
	return entry.status === 'ready' && entry.voiceId !== null;
}
