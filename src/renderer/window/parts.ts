import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import type { Conversation } from '#renderer/conversation/conversation.ts';
import type { Legs } from '#renderer/conversation/legs.ts';
import type { SilenceWatch } from '#renderer/conversation/silence-watch.ts';
import type { Talk } from '#renderer/conversation/talk.ts';
import type { TurnTaking } from '#renderer/conversation/turn-taking.ts';
import type { Host } from '#renderer/host.ts';
import type { TypedSpeech } from '#renderer/speaking/typed-speech.ts';
import type { LegName } from '#shared/conversation/leg-name.ts';
import type { AppInfo } from '#shared/host/contract.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { SettingName, Settings } from '#shared/settings/schema.ts';
import type { CallOutputView } from './call-output-view.ts';
import type { EchoPart } from './echo-part.ts';
import type { AccountMirror } from './mirrors/account-mirror.ts';
import type { DiagnosisMirror } from './mirrors/diagnosis-mirror.ts';
import type { HistoryMirror } from './mirrors/history-mirror.ts';
import type { RoutingMirror } from './mirrors/routing-mirror.ts';
import type { SettingsMirror } from './mirrors/settings-mirror.ts';
import type { ShellMirror } from './mirrors/shell-mirror.ts';
import type { SystemSoundMirror } from './mirrors/system-sound-mirror.ts';
import type { VoicesMirror } from './mirrors/voices-mirror.ts';
import type { Navigation } from './navigation.ts';
import type { RecordingPart } from './recording-part.ts';
import type { SetupRehearsal } from './setup-rehearsal.ts';
import type { Sound } from './sound.ts';
import type { VoiceForm } from './voice-form.ts';

/** What the composition root built and every page may use. */
export interface Parts {
	readonly host: Host;
	readonly clock: Clock;
	readonly info: AppInfo;
	readonly settings: SettingsMirror;
	readonly account: AccountMirror;
	readonly conversation: Conversation;
	/** See `createJustStopped`. */
	readonly justStopped: StoreApi<boolean>;
	/** The two directions of it, for what concerns one alone. */
	readonly legs: Pick<Legs, 'outgoing' | 'incoming' | 'names'>;
	/** What is silent though it should not be, by direction. */
	readonly silence: { readonly [Name in LegName]: Pick<SilenceWatch, 'store' | 'dismiss'> };
	/** Whose turn it is, face to face. */
	readonly turns: TurnTaking;
	/** Rows whose voice is being heard, by their transcription ids. */
	readonly spoken: StoreApi<{ readonly lit: readonly string[] }>;
	/** Whether my microphone is open, where a key is held for it. */
	/** Whether the microphone hears the voice, and is off because of it. */
	readonly echo: EchoPart;
	readonly recording: RecordingPart;
	readonly talk: Talk;
	readonly typing: TypedSpeech;
	readonly history: HistoryMirror;
	readonly voices: VoicesMirror;
	readonly routing: RoutingMirror;
	readonly systemSound: SystemSoundMirror;
	readonly shell: ShellMirror;
	/** Who hears the voice for the others now. */
	readonly callOutput: StoreApi<CallOutputView>;
	readonly voiceForm: VoiceForm;
	readonly diagnosis: DiagnosisMirror;
	readonly rehearsal: SetupRehearsal;
	readonly sound: Sound;
	readonly navigation: Navigation;
}

export const PartsContext = createContext<Parts | null>(null);

export function useParts(): Parts {
	const parts = useContext(PartsContext);
	if (!parts) throw new Error('no parts: a page was rendered outside the providers');
	return parts;
}

/** The value in force; the component renders again when this one changes. */
export function useSetting<Name extends SettingName>(name: Name): Settings[Name] {
	return useStore(useParts().settings.store, (view) => view.values[name]);
}
