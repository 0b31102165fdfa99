import type { AudioEngine } from '#renderer/audio/context.ts';
import type { Devices, MediaSource } from '#renderer/audio/devices.ts';
import { findLiveliest } from '#renderer/audio/liveliest.ts';
import { meterShare } from '#renderer/audio/meter.ts';
import type { CaptureSettings } from '#renderer/audio/microphone-capture.ts';
import { testPath } from '#renderer/audio/path-test.ts';
import { playWav } from '#renderer/audio/play-wav.ts';
import { recordSample } from '#renderer/audio/sample-recorder.ts';
import { playTestSound } from '#renderer/audio/test-sound.ts';
import type { SettingsMirror } from '#renderer/window/mirrors/settings-mirror.ts';
import type { Sound } from '#renderer/window/sound.ts';
import { chooseDevice } from '#shared/audio/choose-device.ts';
import { s16ToFloat } from '#shared/audio/s16le.ts';
import { encodeWav } from '#shared/audio/wav.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { ok } from '#shared/lib/result.ts';

export interface SoundActionsParts {
	readonly engine: AudioEngine;
	readonly devices: Devices;
	readonly media: MediaSource;
	readonly clock: Clock;
	readonly settings: SettingsMirror;
	/** Newest settings of the microphone. */
	readonly captureSettings: () => CaptureSettings;
}

export type SoundActions = Pick<Sound, 'liveliest' | 'testOutput' | 'record' | 'play' | 'testPath'>;

/** A device may take a while to begin. */
const PLAY_SLACK_MS = 5000;

/** What is played and recorded by the press of a button, outside any conversation. */
export function createSoundActions(parts: SoundActionsParts): SoundActions {
	return {
		liveliest: () => findLiveliest(parts, parts.captureSettings()),
		testOutput() {
			const { output, voiceVolume } = parts.settings.store.getState().values;
			return playTestSound({ clock: parts.clock }, output, voiceVolume);
		},
		async record(options) {
			const begun = await recordSample(parts, parts.captureSettings(), options);
			void parts.devices.refresh();
			return begun.ok ? ok({ ...begun.value, level: () => meterShare(begun.value.level()) }) : begun;
		},
		play({ samples, rateHz }, signal, speed = 1) {
			const { output: wanted, voiceVolume: volume } = parts.settings.store.getState().values;
			// Like a voice: played on the default device while the chosen one is not there.
			const choice = chooseDevice(wanted, parts.devices.getState().outputs);
			const output = choice.how === 'wanted' ? choice.device : null;
			const limitMs = (samples.length / rateHz / speed) * 1000 + PLAY_SLACK_MS;
			return playWav(parts, encodeWav(floatOf(samples), rateHz), { output, volume, limitMs, signal, speed });
		},
		testPath: (path) => testPath(parts, path),
	};
}

function floatOf(samples: Int16Array): Float32Array {
	const out = new Float32Array(samples.length);
	s16ToFloat(samples, out);
	return out;
}
