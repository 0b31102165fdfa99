import type { Microphone } from '#renderer/audio/microphone.ts';
import type { Mixer } from '#renderer/audio/mixer.ts';
import { createTalkGate } from '#renderer/audio/talk-gate.ts';
import type { Conversation } from '#renderer/conversation/conversation.ts';
import { createTalk, type Talk } from '#renderer/conversation/talk.ts';
import type { Host } from '#renderer/host.ts';
import { isRunning } from '#renderer/window/live-changes.ts';
import type { SettingsMirror } from '#renderer/window/mirrors/settings-mirror.ts';
import type { TalkMode } from '#shared/conversation/talk.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Settings } from '#shared/settings/schema.ts';

export interface TalkMaking {
	readonly settings: Pick<SettingsMirror, 'store'>;
	readonly clock: Clock;
	readonly host: Pick<Host, 'listen'>;
	readonly microphone: Microphone;
	/** Of the outgoing leg. */
	readonly mixer: Mixer;
}

/** Push to talk, between the real microphone and the outgoing leg. */
export interface TalkWay {
	readonly microphone: Microphone;
	readonly mixer: Mixer;
	/** The call hears the untranslated voice. */
	readonly raw: () => boolean;
	/** Calls back when that changed. */
	listenRaw(changed: () => void): Cancel;
	follow(conversation: Pick<Conversation, 'store'>): Talk;
}

/** Face to face has its own buttons; modes in which I do not speak need none. */
function modeOf({ mode, talk }: Settings): TalkMode {
	return mode === 'solo' || mode === 'meeting' || mode === 'captions' ? talk : 'open';
}

export function createTalkWay({ settings, clock, host, microphone, mixer }: TalkMaking): TalkWay {
	const values = () => settings.store.getState().values;
	const listeners = createListeners<[]>();
	let raw = false;
	let talk: Talk | null = null;
	const gate = createTalkGate({ microphone, mixer, unheard: () => talk?.unheard() });

	return {
		microphone: gate.microphone,
		mixer: gate.mixer,
		raw: () => raw,
		listenRaw: listeners.listen,
		follow(conversation) {
			talk = createTalk({
				clock,
				mode: () => modeOf(values()),
				isRunning: () => isRunning(conversation.store.getState().phase),
				listen(changed) {
					const ends = [settings.store.subscribe(changed), conversation.store.subscribe(changed)];
					return () => {
						for (const end of ends) end();
					};
				},
				listenSuspend: (suspended) =>
					host.listen('power.changed', ({ event }) => {
						if (event === 'suspend' || event === 'lock') suspended();
					}),
				setOpen: gate.setOpen,
				setRaw(next) {
					// Without a call nobody would hear the untranslated voice: solo, it acts as push to talk.
					const isMeeting = values().mode === 'meeting';
					gate.setPast(isMeeting && modeOf(values()) === 'push-to-translate');
					if (raw === (next && isMeeting)) return;
					raw = next && isMeeting;
					listeners.tell();
				},
			});
			return talk;
		},
	};
}
