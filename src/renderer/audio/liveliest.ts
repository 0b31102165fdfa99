import { chooseDevice, type Device } from '#shared/audio/choose-device.ts';
import { isOwnDevice } from '#shared/audio/own-device.ts';
import type { TapParts } from './level-tap.ts';
import { createMeter } from './meter.ts';
import type { CaptureParts, CaptureSettings } from './microphone-capture.ts';

/** A quiet room does not reach this in a working microphone; a voice near it does. */
const LEVEL_DB = -60;
const LISTEN_MS = 800;
const MOST_DEVICES = 6;

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
