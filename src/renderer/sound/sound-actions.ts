import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { chime } from '#shared/sound/chime.ts';
import { chooseDevice, type Device } from '#shared/sound/choose-device.ts';
import { isOwnDevice } from '#shared/sound/own-device.ts';
import { s16ToFloat } from '#shared/sound/s16le.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import type { AudioEngine } from './context.ts';
import type { Devices, MediaSource } from './devices.ts';
import type { TapParts } from './level-tap.ts';
import { createMeter, meterShare } from './meter.ts';
import type { CaptureParts, CaptureSettings } from './microphone-capture.ts';
import type { OutputDevice } from './output.ts';
import { testPath } from './path-test.ts';
import { playWav } from './play-wav.ts';
import { recordSample } from './sample-recorder.ts';
import type { Sound } from './sound.ts';

/** Longer than the chime by far. */
const LIMIT_MS = 5000;

/** A quiet room does not reach this in a working microphone; a voice near it does. */
const LEVEL_DB = -60;

const LISTEN_MS = 800;

const MOST_DEVICES = 6;

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

/**
 * The loudest of the other microphones, each listened to for a moment; null = all are silent. Only used when the chosen
 * one is dead and permission was given; what is heard goes nowhere.
 */
export async function findLiveliest(
	parts: CaptureParts & TapParts,
	settings: CaptureSettings,
): Promise<Device | null> {
	const { inputs, defaultInput } = parts.devices.getState();
	const choice = chooseDevice(settings.microphone, inputs);
	const inUse = choice.how === 'wanted' ? choice.device.id : defaultInput?.id;
	let loudest: { readonly device: Device; readonly db: number } | null = null;
	for (const device of inputs.filter((one) => one.id !== inUse && !isOwnDevice(one)).slice(0, MOST_DEVICES)) {
		const db = await peakOf(parts, { ...settings, microphone: { id: device.id, label: device.label } });
		if (db > Math.max(LEVEL_DB, loudest?.db ?? LEVEL_DB)) loudest = { device, db };
	}
	return loudest?.device ?? null;
}

async function peakOf(parts: CaptureParts & TapParts, settings: CaptureSettings): Promise<number> {
	const meter = createMeter(parts);
	let peak = Number.NEGATIVE_INFINITY;
	const unsubscribe = meter.subscribe((view) => {
		if (view.state === 'open') peak = Math.max(peak, view.level.peakDb);
	});
	await meter.openMicrophone(settings);
	if (meter.getState().state === 'open') {
		await new Promise<void>((done) => void parts.clock.after(LISTEN_MS, done));
	}
	unsubscribe();
	meter.close();
	return peak;
}

/** Plays a chime on an output (`null` = the system default), as `playWav` does. */
export function playTestSound(
	parts: { readonly clock: Clock },
	output: OutputDevice | null,
	volume = 1,
): Promise<Result<void, Problem>> {
	const { samples, rateHz } = chime();
	return playWav(parts, encodeWav(samples, rateHz), { output, volume, limitMs: LIMIT_MS });
}
