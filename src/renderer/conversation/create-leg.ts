import type { AccountMirror } from '#renderer/account/account-mirror.ts';
import type { Journal } from '#renderer/captions/journal.ts';
import type { Host } from '#renderer/host.ts';
import { createLate } from '#renderer/late-speech/late.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { AudioEngine } from '#renderer/sound/context.ts';
import { tapLevelLater } from '#renderer/sound/level-tap.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import type { VoicePath } from '#renderer/sound/voice-path.ts';
import { createLivekitTransport } from '#renderer/transport/livekit-transport.ts';
import { preloadLivekit } from '#renderer/transport/load-livekit.ts';
import type { StreamPortsReceiver } from '#renderer/transport/stream-ports.ts';
import { createWebsocketTransport } from '#renderer/transport/websocket-transport.ts';
import { isOnScreen, listenOnScreen } from '#renderer/ui/on-screen.ts';
import { valuesOf } from '#shared/conversation/presets.ts';
import type { LegName } from '#shared/leg-name.ts';
import { atMost } from '#shared/lib/at-most.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { choicesOf, planOf, wantedLegs } from './choices.ts';
import { createConversation } from './controller.ts';
import type { LegParts } from './legs.ts';
import { createPreparedRoom } from './prepared-room.ts';
import { keepsLate, socketOpening, travelOf } from './route.ts';
import { createSilenceWatch, type SilenceWatch } from './silence-watch.ts';

/** A service that does not answer must not hold up what waits for the room to be left, ms. */
const LEAVE_MS = 5000;

/** What every leg is built from. */
export interface LegMaking {
	readonly host: Host;
	readonly clock: Clock;
	readonly log: Logger;
	readonly settings: SettingsMirror;
	readonly account: AccountMirror;
	readonly receiver: StreamPortsReceiver;
}

/** What differs from leg to leg: where it listens, where it speaks, where it is written down. */
export interface LegEnds {
	readonly name: LegName;
	readonly microphone: Microphone;
	readonly voice: Pick<VoicePath, 'mixer' | 'mute'>;
	/** The engine that plays its voice. */
	readonly engine: AudioEngine;
	/** Null = nowhere. */
	readonly journal: Journal | null;
	/** Whether any conversation runs; only for the leg that may join a room before Start. */
	readonly isUnderWay?: () => boolean;
}

export interface BuiltLeg extends LegParts {
	/** Names the stage that delivers nothing. */
	readonly silence: SilenceWatch;
	readonly microphone: Microphone;
	readonly mixer: Mixer;
	/** Frees the session of a room joined before Start; waits for at most five seconds. */
	readonly leaveRoom: () => Promise<void>;
}

/** One direction of a conversation, ready to be started. */
export function createLeg(making: LegMaking, ends: LegEnds): BuiltLeg {
	const { host, clock, log, settings, account, receiver } = making;
	const { mute } = ends.voice;
	const silence = createSilenceWatch({
		clock,
		source: ends.name === 'incoming' ? 'system' : 'microphone',
		tap: (track, heard, periodMs) => tapLevelLater({ engine: ends.engine, clock }, track, heard, periodMs),
		voiceOf() {
			const choices = planOf(choicesOf(settings.store.getState().values))[ends.name];
			return choices && choices.mode !== 'captions' ? choices.voiceOf : null;
		},
		// Face to face the microphone is opened and shut by hand.
		applies: () => settings.store.getState().values.mode !== 'face',
	});
	const preparedRoom = createPreparedRoom({
		host,
		clock,
		log,
		createTransport: (grant, hearsFrom) => createLivekitTransport({ grant, clock, log, hearsFrom }),
		wanted() {
			const { values } = settings.store.getState();
			const { route } = travelOf(values, account.store.getState().status.speechSocket);
			// Only one room is prepared, because each costs: the other direction joins its own at Start.
			const isMine = ends.isUnderWay !== undefined && wantedLegs(values).includes(ends.name);
			// Typed texts need no room, and have no Start.
			const hasStart = values.mode !== 'type';
			return values.roomAhead && hasStart && isMine && route === 'webrtc' && isOnScreen();
		},
		listenWanted(changed) {
			const endings = [settings.store.subscribe(changed), listenOnScreen(changed)];
			return () => {
				for (const end of endings) end();
			};
		},
		isUnderWay: ends.isUnderWay ?? (() => false),
	});
	function createSocket(keepSpeech: boolean) {
		const { maxQueueMs } = valuesOf(settings.store.getState().values);
		const opening = () => socketOpening(settings.store.getState().values, keepSpeech);
		return createWebsocketTransport({
			host,
			receiver,
			engine: ends.engine,
			clock,
			log,
			opening,
			maxQueueMs,
		});
	}
	const late = createLate({
		engine: ends.engine,
		mixer: ends.voice.mixer,
		clock,
		log,
		createSocket: () => createSocket(false),
		wanted: () => keepsLate(settings.store.getState().values, account.store.getState().status.speechSocket),
		listen: settings.store.subscribe,
	});
	const { mixer } = late;
	const conversation = createConversation({
		late: late.create,
		preparedRoom: {
			prepare: preparedRoom.prepare,
			take() {
				const taking = preparedRoom.take();
				return (
					taking?.then((room) => room && { ...room, transport: silence.transport(room.transport) }) ?? null
				);
			},
		},
		host,
		clock,
		log,
		mixer,
		leg: ends.name,
		async succession() {
			const { createSuccession } = await import('./succession-parts.ts');
			return createSuccession({ engine: ends.engine, clock, log });
		},
		microphone: silence.microphone(ends.microphone),
		...(ends.journal ? { journal: ends.journal } : {}),
		createSocketTransport: ({ keepSpeech }) => silence.transport(createSocket(keepSpeech)),
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
	// Somebody who comes back to the window is about to start.
	window.addEventListener('focus', preparedRoom.prepare);
	silence.follow(conversation, mixer);
	let isMuted = false;
	const showOutput = (): void => {
		const { mode, voiceVolume } = settings.store.getState().values;
		// The call has a volume of its own.
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
		microphone: ends.microphone,
		leaveRoom: () => atMost(clock, LEAVE_MS, preparedRoom.leave()),
		muteVoice(muted) {
			isMuted = muted;
			mute(muted);
			showOutput();
		},
	};
}
