import { createAudioEngine } from '#renderer/sound/context.ts';
import { createDevices } from '#renderer/sound/device-list.ts';
import { createMicrophone, type MicrophoneEvent } from '#renderer/sound/microphone.ts';
import type { CaptureSettings } from '#renderer/sound/microphone-capture.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createFakeMedia, type FakeDevice } from './fake-media.ts';
import { createManualClock } from './manual-clock.ts';

export const laptop: FakeDevice = { kind: 'audioinput', id: 'l1', label: 'Laptop' };
export const headset: FakeDevice = { kind: 'audioinput', id: 'h1', label: 'Headset' };
export const plain: CaptureSettings = {
	microphone: null,
	echoCancellation: true,
	noiseSuppression: false,
	autoGainControl: true,
};
export const wantHeadset = { ...plain, microphone: { id: 'h1', label: 'Headset' } };

const ends: (() => Promise<void>)[] = [];

/** Call in `afterEach`. */
export async function endMicrophones(): Promise<void> {
	for (const end of ends.splice(0)) await end();
}

/** A closed microphone, with devices and time controlled by the test. */
export async function createMicrophoneRig(
	devices: readonly FakeDevice[] = [laptop, headset],
	first: CaptureSettings = plain,
) {
	const clock = createManualClock();
	const media = createFakeMedia(devices);
	const list = createDevices({ media, clock });
	const engine = createAudioEngine({ clock, log: silentLogger });
	let settings = first;
	/** How loud it was, dBFS. */
	const levels: number[] = [];
	const heard = (rmsDb: number) => void levels.push(rmsDb);
	const parts = {
		media,
		devices: list,
		engine,
		clock,
		log: silentLogger,
		captureSettings: () => settings,
		heard,
	};
	const microphone = createMicrophone(parts);
	const events: MicrophoneEvent[] = [];
	microphone.listen((event) => events.push(event));
	ends.push(async () => {
		microphone.close();
		list.close();
		await engine.close();
		await media.close();
	});
	await list.refresh();
	return {
		clock,
		media,
		microphone,
		events,
		levels,
		setWish: (next: CaptureSettings) => {
			settings = next;
		},
	};
}

/** The same, open. */
export async function openedMicrophone(...args: Parameters<typeof createMicrophoneRig>) {
	const rig = await createMicrophoneRig(...args);
	const result = await rig.microphone.open();
	if (!result.ok) throw new Error(result.error.kind);
	return { ...rig, track: result.value };
}
