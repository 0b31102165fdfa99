import { type CallOutput, createCallOutput } from '#renderer/calls/call-output.ts';
import { withLoweredOthers } from '#renderer/calls/others-sound.ts';
import type { RoutingMirror } from '#renderer/calls/virtual-microphone.ts';
import { createTalkWay, type TalkWay } from '#renderer/conversation/push-to-talk.ts';
import type { Face } from '#renderer/face-to-face/create-face.ts';
import type { Host } from '#renderer/host.ts';
import type { ConversationRecorder } from '#renderer/recording/conversation-recorder.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { AudioEngine } from './context.ts';
import type { Devices } from './device-list.ts';
import { type EchoGuard, inRoom } from './echo-guard.ts';
import type { Microphone } from './microphone.ts';
import { createOriginal, type Mixer, type Original, withMute, withSelectedVoice } from './mixer.ts';
import { createOutput, type OutputDevice } from './output.ts';
import type { WindowSound } from './sound.ts';

/** The voice of one direction on its way to the listener; the conversation uses `mixer`. */
export interface VoicePath {
	readonly mixer: Mixer;
	/** Silences the voice for the user, whatever its volume. */
	readonly mute: (muted: boolean) => void;
	/** Silences the voice while it waits for a replay. */
	readonly quiet: (quiet: boolean) => void;
}

interface OutgoingVoicePath extends VoicePath {
	readonly talk: TalkWay;
	readonly callOutput: CallOutput;
}

interface VoicePathParts {
	readonly guard: Pick<EchoGuard, 'hear'>;
	readonly room: Pick<RoomOutput, 'alsoHere'>;
	readonly recorder: Pick<ConversationRecorder, 'voice'>;
	/** Keeps the most recent sound of the voice; one for each direction. */
	readonly memory: { readonly voice: (mixer: Mixer) => Mixer };
	readonly face: Pick<Face, 'mixerOf'>;
	readonly window: Pick<WindowSound, 'meteredMixer' | 'meteredOthersMixer' | 'sound'>;
}

interface OutgoingParts extends VoicePathParts {
	/** The mixer that plays the voice, and its engine. */
	readonly output: Mixer;
	readonly engine: AudioEngine;
	readonly settings: Pick<SettingsMirror, 'store'>;
	readonly routing: Pick<RoutingMirror, 'store' | 'make'>;
	readonly clock: Clock;
	readonly host: Pick<Host, 'listen'>;
	/** In push to translate, played into the call untranslated. */
	readonly microphone: Microphone;
}

/**
 * The voice that translates the user, from the loudspeaker up: each stage is a mixer that wraps the previous one.
 * Calls of the conversation (a track, a volume, a cut) pass the stages from the last to the first, so a later
 * stage decides what an earlier one may play, never the other way round.
 */
export function outgoingVoicePath(parts: OutgoingParts): OutgoingVoicePath {
	const { output, engine, settings, window, clock, host, microphone, routing } = parts;
	const isInRoom = inRoom(settings);
	// Measured at the point of playback.
	const metered = window.meteredMixer(output);
	// The echo guard must see the volume that is heard.
	const guarded = parts.guard.hear(metered, isInRoom);
	// Before mute and volume, which are for the user's own ear: people in the room still hear the voice.
	const alsoInRoom = parts.room.alsoHere(guarded, isInRoom);
	// Record the voice even while the user does not listen.
	const recorded = parts.recorder.voice(alsoInRoom);
	// Keep the voice even while it is not heard, so that missed speech can be replayed.
	const kept = parts.memory.voice(recorded);
	// A replay makes the voice wait, whether it is muted or not.
	const waiting = withMute(kept);
	// Mute after the stages that set a volume, so that none of them makes a muted voice audible.
	const muted = withMute(waiting.mixer);
	// Push to translate plays the microphone itself as the original.
	const talk = createTalkWay({ settings, clock, host, microphone, mixer: muted.mixer });
	// In a meeting the voice goes into the call or nowhere, whatever volume the user has chosen.
	const sound = window.sound;
	const callOutput = createCallOutput({ mixer: talk.mixer, settings, routing, sound, raw: talk });
	// In face-to-face mode, the voice waits until nobody speaks before it reaches the other stages.
	const held = parts.face.mixerOf(callOutput.mixer, engine);
	return { mixer: held, mute: muted.mute, quiet: waiting.mute, talk, callOutput };
}

interface IncomingParts extends VoicePathParts {
	readonly output: Mixer;
	readonly engine: AudioEngine;
	readonly settings: Pick<SettingsMirror, 'store'>;
	/** Turns down the programs whose sound is translated; 1 = as they are. */
	readonly lowerOthers: (gain: number) => void;
}

/** The voice that translates others: like the outgoing path, but without the call, and always heard in the room. */
export function incomingVoicePath({ output, engine, settings, ...parts }: IncomingParts): VoicePath {
	const metered = parts.window.meteredOthersMixer(output);
	const guarded = parts.guard.hear(metered, () => true);
	const alsoInRoom = parts.room.alsoHere(guarded, () => true);
	const recorded = parts.recorder.voice(alsoInRoom);
	const kept = parts.memory.voice(recorded);
	// Apply this before mute, so that a muted voice does not turn other programs down.
	const lowered = withLoweredOthers(kept, parts.lowerOthers);
	const follow = () => lowered.setGain(settings.store.getState().values.othersVolume);
	follow();
	settings.store.subscribe(follow);
	const waiting = withMute(lowered.mixer);
	const muted = withMute(waiting.mixer);
	const held = parts.face.mixerOf(muted.mixer, engine);
	return { mixer: held, mute: muted.mute, quiet: waiting.mute };
}

/** The sound that one mixer plays in the room. */
interface Source {
	readonly wanted: () => boolean;
	readonly player: Original;
	track: MediaStreamTrack | null;
	cut: boolean;
}

export type RoomOutput = ReturnType<typeof createRoomOutput>;

/** Plays the voice on a second loudspeaker too, by WebAudio, as all elements share one output (see `Mixer`). */
export function createRoomOutput(parts: {
	readonly devices: Devices;
	/** A separate engine, because it plays on another output. */
	readonly engine: AudioEngine;
	readonly log: Logger;
}) {
	const sources = new Set<Source>();
	let device: OutputDevice | null = null;
	let volume = 1;
	let sink = '';
	const output = createOutput({
		devices: parts.devices,
		log: parts.log,
		async apply(id) {
			// Stay silent during the switch: the default loudspeaker must not play the voice twice.
			sink = '';
			settle();
			const moved = await parts.engine.setSink(id);
			sink = moved ? id : '';
			settle();
			return moved;
		},
		switched() {},
	});

	function settle(): void {
		for (const { track, wanted, cut, player } of sources) {
			// The default loudspeaker plays the voice already.
			player.setTrack(device && sink !== '' && !cut && wanted() ? track : null);
			player.setVolume(volume);
		}
	}

	return {
		/** Wraps a mixer so that its voices also play in the room while `wanted` returns true. */
		alsoHere(mixer: Mixer, wanted: () => boolean): Mixer {
			const source: Source = { wanted, player: createOriginal(parts.engine), track: null, cut: false };
			sources.add(source);
			const heard = withSelectedVoice(mixer, (track) => {
				source.track = track;
				settle();
			});
			return {
				...heard,
				cut() {
					source.cut = true;
					mixer.cut();
					settle();
				},
				resumeVoice() {
					source.cut = false;
					mixer.resumeVoice();
					settle();
				},
				clear() {
					source.cut = false;
					heard.clear();
				},
			};
		},
		/** `null` = nowhere. Silent while the device is missing; plays again when the device is back. */
		setDevice(next: OutputDevice | null): void {
			device = next;
			void output.choose(next).then(settle);
		},
		/** 0 to 1. */
		setVolume(next: number): void {
			volume = Math.min(1, Math.max(0, next));
			settle();
		},
		/** Call this when the result of `wanted` may have changed. */
		apply: settle,
	};
}
