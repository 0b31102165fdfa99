import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import type { AccountMirror } from '#renderer/account/account-mirror.ts';
import type { CreditUse } from '#renderer/account/credit-watch.ts';
import type { CallOutputView } from '#renderer/calls/call-output.ts';
import type { SystemSoundMirror } from '#renderer/calls/others-sound.ts';
import type { TurnSigns } from '#renderer/calls/turn-sign.ts';
import type { RoutingMirror } from '#renderer/calls/virtual-microphone.ts';
import type { WholeConversation } from '#renderer/conversation/conversation.ts';
import type { Legs } from '#renderer/conversation/legs.ts';
import type { QuietPause } from '#renderer/conversation/pause-when-quiet.ts';
import type { Talk } from '#renderer/conversation/push-to-talk.ts';
import type { SilenceWatch } from '#renderer/conversation/silence.ts';
import type { DiagnosisMirror } from '#renderer/diagnosis/diagnosis-mirror.ts';
import type { TurnTaking } from '#renderer/face-to-face/turn-taking.ts';
import type { GuestsMirror } from '#renderer/guests/guests-mirror.ts';
import type { HistoryMirror } from '#renderer/history/history-mirror.ts';
import type { Host } from '#renderer/host.ts';
import type { ModelsMirror } from '#renderer/models/models-mirror.ts';
import type { RecordingPart } from '#renderer/recording/recording.ts';
import type { Replay } from '#renderer/replay/replay.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { SetupRehearsal } from '#renderer/setup/rehearsal.ts';
import type { Sound } from '#renderer/sound/sound.ts';
import type { Drafts, TypedSpeech } from '#renderer/typing/typed-speech.ts';
import type { VoiceForm } from '#renderer/voices/voice-form.ts';
import type { VoicesMirror } from '#renderer/voices/voices-mirror.ts';
import type { AppInfo } from '#shared/host/contract.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { SettingName, Settings } from '#shared/settings/schema.ts';
import type { ShellMirror } from './mirrors.ts';
import type { Navigation } from './navigation.ts';

interface ProgramParts {
	readonly host: Host;
	readonly clock: Clock;
	readonly info: AppInfo;
	readonly navigation: Navigation;
	readonly diagnosis: DiagnosisMirror;
	readonly shell: ShellMirror;
}

/** The data that main stores for the user: settings, key, kept conversations, voices. */
interface PersonParts {
	readonly settings: SettingsMirror;
	readonly account: AccountMirror;
	readonly models: ModelsMirror;
	readonly history: HistoryMirror;
	readonly voices: VoicesMirror;
	/** The form for a new voice, whose content survives leaving the page. */
	readonly voiceForm: VoiceForm;
	readonly drafts: Drafts;
}

interface ConversationParts {
	readonly conversation: WholeConversation;
	/** True just after the conversation has ended; see `createJustStopped`. */
	readonly justStopped: StoreApi<boolean>;
	/** The two directions of the conversation, for actions on a single direction. */
	readonly legs: Pick<Legs, 'outgoing' | 'incoming' | 'names' | 'theirs'>;
	/** Unexpected silence, by direction. */
	readonly silence: { readonly [Name in LegName]: Pick<SilenceWatch, 'store' | 'dismiss'> };
	/** The silence after which the conversation was paused, ms; null if it was not. */
	readonly quiet: QuietPause;
	readonly creditUse: CreditUse;
	/** Rows whose voice is being heard, by their transcription ids. */
	readonly spoken: StoreApi<{ readonly lit: readonly string[] }>;
	/** In a meeting: whether a direction's voice still speaks after its speaker stopped, or has just ended. */
	readonly turnSigns: TurnSigns;
	/** Replays the last sentences: "What did they say?" */
	readonly replay: Replay;
	/** Whose turn it is in face-to-face mode. */
	readonly turns: TurnTaking;
	/** Whether the user's microphone is open, in push to talk. */
	readonly talk: Talk;
	readonly recording: RecordingPart;
	/** Guests who read along in a browser on the same network. */
	readonly guests: GuestsMirror;
	/** Texts that are typed to be spoken, without a conversation. */
	readonly typing: TypedSpeech;
	/** A rehearsal of the whole audio path, during setup. */
	readonly rehearsal: SetupRehearsal;
}

interface SoundParts {
	readonly sound: Sound;
	/** Whether the microphone hears the voice, and is off because of it. */
	readonly echo: EchoPart;
	/** Reads devices and routes again; resolves when all are read, or could not be. */
	readonly readSound: () => Promise<unknown>;
	readonly systemSound: SystemSoundMirror;
	readonly routing: RoutingMirror;
	/** The output on which the outgoing voice currently plays. */
	readonly callOutput: StoreApi<CallOutputView>;
}

/** Everything that the composition root creates for the pages. */
export interface Parts extends ProgramParts, PersonParts, ConversationParts, SoundParts {}

export const PartsContext = createContext<Parts | null>(null);

export function useParts(): Parts {
	const parts = useContext(PartsContext);
	if (!parts) throw new Error('no parts: a page was rendered outside the providers');
	return parts;
}

/** The current value of a setting; the component renders again when that setting changes. */
export function useSetting<Name extends SettingName>(name: Name): Settings[Name] {
	return useStore(useParts().settings.store, (view) => view.values[name]);
}

export function useIsLocal(): boolean {
	return useStore(useParts().account.store, ({ status }) => status.service === 'local');
}

/** The visible state of the echo guard. */
interface EchoPart {
	/** `heard`: the microphone hears the translation. `gated`: it is therefore off while the voice speaks. */
	readonly store: StoreApi<{ readonly heard: boolean; readonly gated: boolean }>;
	dismiss(): void;
}
