import type { AccountMirror } from '#renderer/account/account-mirror.ts';
import type { SystemSoundMirror } from '#renderer/calls/others-sound.ts';
import { createOthersSound } from '#renderer/calls/others-sound.ts';
import type { RoutingMirror } from '#renderer/calls/virtual-microphone.ts';
import {
	createHistoryWriter,
	createLegJournals,
	type HistoryWriter,
} from '#renderer/captions/history-writer.ts';
import { createSpokenRows } from '#renderer/captions/spoken-rows.ts';
import type { Face } from '#renderer/face-to-face/create-face.ts';
import type { HistoryMirror } from '#renderer/history/history-mirror.ts';
import type { Host } from '#renderer/host.ts';
import type { VoiceReplay } from '#renderer/replay/load-replay.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { AudioEngine } from '#renderer/sound/context.ts';
import { followSettings, type WindowAudio } from '#renderer/sound/create-sound.ts';
import { tapLevelLater } from '#renderer/sound/meter.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import { outgoingMicrophone } from '#renderer/sound/microphone-path.ts';
import { createMixer, type Mixer } from '#renderer/sound/mixer.ts';
import { incomingVoicePath, outgoingVoicePath, type VoicePath } from '#renderer/sound/voice-path.ts';
import { preloadLivekit } from '#renderer/transport/livekit.ts';
import { createLivekitTransport } from '#renderer/transport/livekit-transport.ts';
import type { StreamPortsReceiver } from '#renderer/transport/stream-ports.ts';
import { createWebsocketTransport } from '#renderer/transport/websocket-transport.ts';
import { valuesOf } from '#shared/conversation/presets.ts';
import { type LegName, legNames } from '#shared/leg-name.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { choicesOf, planOf, socketOpening, travelOf, wantedLegs } from './choices.ts';
import { createConversation } from './controller.ts';
import { type Conversation, isOver } from './conversation.ts';
import { answerClosing, reportPhase } from './follow-conversation.ts';
import { createLegs, type LegParts } from './legs.ts';
import { followChoices } from './live-changes.ts';
import { createSilenceWatch, type SilenceWatch } from './silence.ts';
import { createUnsent, type Unsent } from './unsent-speech.ts';

export interface LegMaking {
	readonly host: Host;
	readonly clock: Clock;
	readonly log: Logger;
	readonly settings: SettingsMirror;
	readonly account: AccountMirror;
	readonly receiver: StreamPortsReceiver;
}

/** What differs by direction: input, output and captions. */
interface LegEnds {
	readonly name: LegName;
	readonly microphone: Microphone;
	readonly voice: Pick<VoicePath, 'mixer' | 'mute'>;
	readonly engine: AudioEngine;
	/** Stores the captions; null = they are not stored. */
	readonly journal: HistoryWriter | null;
}

interface BuiltLeg extends LegParts {
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

export interface DirectionsMaking extends LegMaking {
	readonly routing: RoutingMirror;
	readonly systemSound: SystemSoundMirror;
	readonly history: Pick<HistoryMirror, 'continued'>;
	readonly sound: WindowAudio;
	readonly face: Face;
	/** Keeps the last minute of each voice. */
	readonly memories: VoiceReplay['memories'];
}

/** Both directions of a conversation, each from its source to its voice, and the conversation that runs them. */
export function createDirections({
	sound,
	face,
	memories,
	routing,
	systemSound,
	history,
	...making
}: DirectionsMaking) {
	const { host, clock, log, settings, receiver } = making;
	const { engine, earEngine, devices, recorder } = sound;
	const stages = { guard: sound.guard, room: sound.room, recorder, face, window: sound.window };
	const ownVoice = outgoingVoicePath({
		...stages,
		memory: memories.outgoing,
		output: createMixer({ engine, devices, clock, log }),
		engine,
		settings,
		routing,
		clock,
		host,
		microphone: sound.microphone,
	});
	const othersVoice = incomingVoicePath({
		...stages,
		memory: memories.incoming,
		output: createMixer({ engine: earEngine, devices, clock, log }),
		engine: earEngine,
		settings,
		lowerOthers: (gain) => void host.ask('system-sound.lower', { gain }),
	});
	const takeContinued = () => {
		const id = history.continued.getState()?.id ?? null;
		history.continued.setState(null, true);
		return id;
	};
	const journals = createLegJournals(createHistoryWriter({ host, clock, takeContinued }));
	const outgoing = createLeg(making, {
		name: 'outgoing',
		microphone: outgoingMicrophone({ talk: ownVoice.talk, face, recorder }),
		engine,
		voice: ownVoice,
		journal: journals.outgoing,
	});
	const hearOthers = sound.window.meteredOthers(
		createOthersSound({
			host,
			receiver,
			engine: earEngine,
			media: sound.media,
			clock,
			log,
			settings,
			systemSound,
		}),
	);
	const incoming = createLeg(making, {
		name: 'incoming',
		microphone: recorder.source(face.microphoneOf('incoming', hearOthers)),
		engine: earEngine,
		voice: othersVoice,
		journal: journals.incoming,
	});
	const values = () => settings.store.getState().values;
	const legs = createLegs({
		legs: { outgoing, incoming },
		clock,
		planOf,
		wanted: () => wantedLegs(values()),
		listenWanted: settings.store.subscribe,
		corrections: { now: () => values().corrections, listen: settings.store.subscribe },
	});
	const spoken = createSpokenRows({
		legs: legNames.map((name) => ({
			...legs[name].conversation,
			choices: () => planOf(choicesOf(values()))[name],
		})),
		clock,
	});
	reportPhase(legs, host);
	answerClosing(legs, host);
	ownVoice.callOutput.follow(legs);
	followSettings({ settings, microphone: sound.microphone, mixer: outgoing.mixer });
	followSettings({ ...incoming, settings, source: ['systemSound'], original: false });
	followChoices(legs, settings);
	followPlan(legs, settings);
	return {
		legs,
		spoken: spoken.store,
		outgoing,
		incoming,
		voices: { outgoing: ownVoice, incoming: othersVoice },
	};
}

/**
 * Makes face-to-face mode use one session if the account's plan refuses a second: changes the setting, visibly,
 * and starts the conversation again, once. Restores the setting after that conversation, so that the next Start
 * requests two sessions again. Returns a function that stops this.
 */
export function followPlan(
	conversation: Pick<Conversation, 'store' | 'start'>,
	settings: Pick<SettingsMirror, 'store' | 'write'>,
): Cancel {
	/** True if we changed the setting, not the user. */
	let isBorrowed = false;
	return conversation.store.subscribe((view, before) => {
		const { phase, problem } = view;
		if (isBorrowed && isOver(view) && before.phase !== phase) {
			isBorrowed = false;
			void settings.write({ faceOneSession: false });
			return;
		}
		if (phase !== 'failed' || before.phase === 'failed' || problem?.kind !== 'session-limit') return;
		const { mode, faceTalk, faceOneSession } = settings.store.getState().values;
		if (mode !== 'face' || faceTalk !== 'hold' || faceOneSession || before.liveSinceMs !== null) return;
		void settings.write({ faceOneSession: true });
		conversation.start(choicesOf({ ...settings.store.getState().values, faceOneSession: true }));
		isBorrowed = true;
	});
}
