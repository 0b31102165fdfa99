import type { RoutingMirror } from '#renderer/calls/virtual-microphone.ts';
import type { Host } from '#renderer/host.ts';
import { createConversationRecorder, RECORDED_HZ } from '#renderer/recording/conversation-recorder.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { AppInfo } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { createAudioEngine } from './context.ts';
import { createDevices, watchDevices } from './device-list.ts';
import { createEchoGuard, echoSettings, followGate } from './echo-guard.ts';
import { tapLevelLater } from './meter.ts';
import type { Microphone } from './microphone.ts';
import type { CaptureSettings } from './microphone-capture.ts';
import { openMicrophonePath } from './microphone-path.ts';
import type { Mixer } from './mixer.ts';
import { createWindowSound } from './sound.ts';
import { createRoomOutput, type RoomOutput } from './voice-path.ts';

interface SoundMaking {
	readonly host: Host;
	readonly clock: Clock;
	readonly log: Logger;
	readonly settings: SettingsMirror;
	readonly routing: RoutingMirror;
	readonly info: AppInfo;
	/** Called when a recording cannot continue. */
	readonly recordingLost: () => void;
}

export type WindowAudio = ReturnType<typeof createSound>;

/** Devices, the microphone, and the path of every voice to the listener. */
export function createSound({ host, clock, log, settings, routing, info, recordingLost }: SoundMaking) {
	const media = navigator.mediaDevices;
	// An engine plays everything on one output, so listeners with different outputs need separate engines.
	const engine = createAudioEngine({ clock, log });
	const earEngine = createAudioEngine({ clock, log });
	const devices = createDevices({ media, clock });
	watchDevices({ devices, routing, clock, platform: info.platform });
	const captureSettings = (): CaptureSettings => settings.store.getState().values;
	const shown = createWindowSound({
		engine,
		devices,
		media,
		clock,
		settings,
		permission: info.microphone,
		async readPermission() {
			const again = await host.ask('app.info', undefined);
			return again.ok ? again.value.microphone : info.microphone;
		},
		captureSettings,
	});
	const createContext = () => new AudioContext({ sampleRate: RECORDED_HZ, latencyHint: 'playback' });
	const recorder = createConversationRecorder({
		engine: createAudioEngine({ clock, log, createContext }),
		clock,
		lost: recordingLost,
	});
	const room = createRoomOutput({ devices, engine: createAudioEngine({ clock, log }), log });
	followRoom(room, settings);
	const guard = createEchoGuard({
		tap: (track, heard, periodMs) => tapLevelLater({ engine, clock }, track, heard, periodMs),
		clock,
		log,
		...echoSettings(settings),
	});
	followGate(guard, settings);
	const microphone = openMicrophonePath({
		media,
		devices,
		clock,
		engine,
		log,
		captureSettings,
		guard,
		window: shown,
	});
	return { media, engine, earEngine, devices, window: shown, recorder, room, guard, microphone };
}

/**
 * Applies the room's loudspeaker and its volume from the settings, now and at each change. Returns a cancel function.
 */
function followRoom(
	room: Pick<RoomOutput, 'setDevice' | 'setVolume' | 'apply'>,
	settings: Pick<SettingsMirror, 'store'>,
): Cancel {
	const { values } = settings.store.getState();
	room.setVolume(values.roomVolume);
	room.setDevice(values.roomOutput);
	return settings.store.subscribe((view, before) => {
		const [now, then] = [view.values, before.values];
		if (now.roomVolume !== then.roomVolume) room.setVolume(now.roomVolume);
		if (JSON.stringify(now.roomOutput) !== JSON.stringify(then.roomOutput)) room.setDevice(now.roomOutput);
		if (now.mode !== then.mode) room.apply();
	});
}

const MICROPHONE = ['microphone', 'echoCancellation', 'noiseSuppression', 'autoGainControl'] as const;

/** Applies the settings' volumes, devices and processing, now and at each change. Returns a stop function. */
export function followSettings(parts: {
	readonly settings: SettingsMirror;
	readonly microphone: Pick<Microphone, 'apply'>;
	/** The settings that decide what is captured; default: those of a microphone. */
	readonly source?: readonly (keyof Settings)[];
	/** False: the original is audible anyway, because another program plays it. */
	readonly original?: boolean;
	readonly mixer: Pick<Mixer, 'setVoiceVolume' | 'setOriginalVolume' | 'setDucking' | 'setOutput'>;
}): Cancel {
	const { settings, microphone, mixer, source, original = true } = parts;
	function apply(next: Settings, before: Settings | null): void {
		const changed = (...names: readonly (keyof Settings)[]) =>
			!before || names.some((name) => JSON.stringify(next[name]) !== JSON.stringify(before[name]));
		if (changed('voiceVolume')) mixer.setVoiceVolume(next.voiceVolume);
		if (changed('originalVolume') && original) mixer.setOriginalVolume(next.originalVolume);
		if (changed('duck')) mixer.setDucking(next.duck);
		if (changed('output')) void mixer.setOutput(next.output);
		if (changed(...(source ?? MICROPHONE))) void microphone.apply();
	}
	apply(settings.store.getState().values, null);
	return settings.store.subscribe((view, before) => apply(view.values, before.values));
}
