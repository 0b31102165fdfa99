import type { AccountMirror } from '#renderer/account/account-mirror.ts';
import type { Journal } from '#renderer/captions/journal.ts';
import type { Host } from '#renderer/host.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { AudioEngine } from '#renderer/sound/context.ts';
import { tapLevelLater } from '#renderer/sound/meter.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import type { VoicePath } from '#renderer/sound/voice-path.ts';
import { preloadLivekit } from '#renderer/transport/livekit.ts';
import { createLivekitTransport } from '#renderer/transport/livekit-transport.ts';
import type { StreamPortsReceiver } from '#renderer/transport/stream-ports.ts';
import { createWebsocketTransport } from '#renderer/transport/websocket-transport.ts';
import { valuesOf } from '#shared/conversation/presets.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { choicesOf, planOf, socketOpening, travelOf } from './choices.ts';
import { createConversation } from './controller.ts';
import type { LegParts } from './legs.ts';
import { createSilenceWatch, type SilenceWatch } from './silence.ts';
import { createUnsent, type Unsent } from './unsent-speech.ts';

/** The dependencies of every direction. */
export interface LegMaking {
	readonly host: Host;
	readonly clock: Clock;
	readonly log: Logger;
	readonly settings: SettingsMirror;
	readonly account: AccountMirror;
	readonly receiver: StreamPortsReceiver;
}

/** What differs by direction: input, output and captions. */
export interface LegEnds {
	readonly name: LegName;
	readonly microphone: Microphone;
	readonly voice: Pick<VoicePath, 'mixer' | 'mute'>;
	/** The engine that plays the voice. */
	readonly engine: AudioEngine;
	/** Stores the captions; null = they are not stored. */
	readonly journal: Journal | null;
}

export interface BuiltLeg extends LegParts {
	/** Names the stage that is silent. */
	readonly silence: SilenceWatch;
	readonly microphone: Microphone;
	readonly mixer: Mixer;
	/** Speech that the interpreter may not have heard. */
	readonly unsent: Unsent;
}

/** One direction of a conversation, ready to be started. */
export function createLeg(making: LegMaking, ends: LegEnds): BuiltLeg {
	const { host, clock, log, settings, account, receiver } = making;
	const { mixer, mute } = ends.voice;
	const silence = createSilenceWatch({
		clock,
		source: ends.name === 'incoming' ? 'system' : 'microphone',
		tap: (track, heard, periodMs) => tapLevelLater({ engine: ends.engine, clock }, track, heard, periodMs),
		voiceOf() {
			const choices = planOf(choicesOf(settings.store.getState().values))[ends.name];
			return choices && choices.mode !== 'captions' ? choices.voiceOf : null;
		},
		// In face-to-face mode, the user opens and closes the microphone by hand.
		applies: () => settings.store.getState().values.mode !== 'face',
	});
	const unsent = createUnsent(ends.microphone, ends.engine);
	const conversation = createConversation({
		host,
		clock,
		log,
		mixer,
		leg: ends.name,
		async succession() {
			const { createSuccession } = await import('./succession.ts');
			return createSuccession({ engine: ends.engine, clock, log });
		},
		microphone: silence.microphone(unsent.microphone),
		unsent,
		...(ends.journal ? { journal: ends.journal } : {}),
		createSocketTransport({ keepSpeech }) {
			const values = () => settings.store.getState().values;
			const { maxQueueMs } = valuesOf(values());
			const kept = unsent.take();
			const opening = () => socketOpening(values(), keepSpeech || kept !== null);
			return silence.transport(
				createWebsocketTransport({
					host,
					receiver,
					engine: ends.engine,
					clock,
					log,
					opening,
					maxQueueMs,
					...kept,
				}),
			);
		},
		travel() {
			const { status } = account.store.getState();
			return travelOf(settings.store.getState().values, status.speechSocket);
		},
		createTransport: (grant) => silence.transport(createLivekitTransport({ grant, clock, log })),
		preload: () => void preloadLivekit().catch(() => {}),
		listenNetwork(back) {
			window.addEventListener('online', back);
			return () => window.removeEventListener('online', back);
		},
	});
	silence.follow(conversation, mixer);
	let isMuted = false;
	const showOutput = (): void => {
		const { mode, voiceVolume } = settings.store.getState().values;
		// The voice in the call has a volume of its own.
		const isCall = mode === 'meeting' && ends.name === 'outgoing';
		const isOff = voiceVolume === 0 && !isCall;
		silence.output(isMuted ? 'muted' : isOff ? 'volume' : null);
	};
	settings.store.subscribe(showOutput);
	showOutput();
	return {
		conversation,
		mixer,
		silence,
		unsent,
		microphone: ends.microphone,
		muteVoice(muted) {
			isMuted = muted;
			mute(muted);
			showOutput();
		},
	};
}
