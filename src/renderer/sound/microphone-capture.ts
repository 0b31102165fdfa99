import { type Clock, pause } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { chooseDevice, type WantedDevice } from '#shared/sound/devices.ts';
import type { Devices, MediaSource } from './device-list.ts';

/** Names of the errors `getUserMedia` rejects with (W3C Media Capture 10.3) and what each means. */
const FAILURES: Readonly<Record<string, CaptureFailure>> = {
	NotAllowedError: 'denied',
	/** Older name of the same error; still thrown by some policies. */
	PermissionDeniedError: 'denied',
	SecurityError: 'denied',
	NotFoundError: 'missing',
	DevicesNotFoundError: 'missing',
	/** Another program uses the microphone, or the system could not start it. */
	NotReadableError: 'busy',
	TrackStartError: 'busy',
	AbortError: 'busy',
	/** The exact device requested is not present. */
	OverconstrainedError: 'gone',
	ConstraintNotSatisfiedError: 'gone',
};

/** How often, and how far apart, a busy microphone is tried again (faults row 83). */
const BUSY_RETRIES = 2;
const BUSY_RETRY_MS = 300;
/** How long to wait for the permission prompt; a track that arrives later is stopped at once. */
const ANSWER_LIMIT_MS = 60_000;

export interface CaptureSettings {
	readonly microphone: WantedDevice;
	readonly echoCancellation: boolean;
	readonly noiseSuppression: boolean;
	readonly autoGainControl: boolean;
}

export interface Captured {
	readonly track: MediaStreamTrack;
	/** Display name of the device; empty if the system gives none. */
	readonly label: string;
	/** True for the wanted device, false for the default used in its place. */
	readonly wanted: boolean;
}

export interface CaptureParts {
	readonly media: MediaSource;
	readonly devices: Devices;
	readonly clock: Clock;
}

/** Opens the wanted microphone, or the default if that is not present. The caller stops the track. */
export async function capture(
	parts: CaptureParts,
	settings: CaptureSettings,
	signal: AbortSignal,
): Promise<Result<Captured, Problem>> {
	const list = parts.devices.getState();
	const choice = chooseDevice(settings.microphone, list.inputs);
	// Before permission was given, the list is empty or has no ids, so try the saved id anyway.
	const id =
		choice.how === 'wanted' ? choice.device.id : choice.how === 'stand-in' ? settings.microphone?.id : null;
	if (id && (choice.how === 'wanted' || !list.labelled)) {
		const exact = await ask(parts, settings, { exact: id }, signal);
		if (exact.ok) return ok({ ...exact.value, wanted: true });
		if (exact.error !== 'gone' && exact.error !== 'missing')
			return err(problemOf(exact, settings.microphone?.label ?? ''));
		// Ids change; the first grant makes labels readable, so look again by label.
		const again = chooseDevice(settings.microphone, (await parts.devices.refresh()).inputs);
		if (again.how === 'wanted' && again.device.id !== id) {
			const renamed = await ask(parts, settings, { exact: again.device.id }, signal);
			if (renamed.ok) return ok({ ...renamed.value, wanted: true });
		}
	}
	const fallback = await ask(parts, settings, null, signal);
	if (!fallback.ok) return err(problemOf(fallback, list.defaultInput?.label ?? ''));
	return ok({ ...fallback.value, wanted: choice.how === 'default' });
}

type Asked =
	| { readonly ok: true; readonly value: { readonly track: MediaStreamTrack; readonly label: string } }
	| {
			readonly ok: false;
			readonly error: ReturnType<typeof captureFailure> | 'cancelled' | 'late';
			readonly thrown?: unknown;
	  };

function problemOf(asked: Extract<Asked, { ok: false }>, device: string): Problem {
	if (asked.error === 'cancelled') return { kind: 'cancelled' };
	if (asked.error === 'late') return { kind: 'timed-out', what: 'microphone', afterMs: ANSWER_LIMIT_MS };
	return microphoneProblem(asked.thrown, device);
}

async function ask(
	parts: CaptureParts,
	settings: CaptureSettings,
	deviceId: { readonly exact: string } | null,
	signal: AbortSignal,
): Promise<Asked> {
	for (let attempt = 0; ; attempt += 1) {
		const asked = await askOnce(parts, constraintsOf(settings, deviceId), signal);
		if (asked.ok || asked.error !== 'busy' || attempt === BUSY_RETRIES) return asked;
		await pause(parts.clock, BUSY_RETRY_MS, signal);
	}
}

function askOnce(parts: CaptureParts, audio: MediaTrackConstraints, signal: AbortSignal): Promise<Asked> {
	if (signal.aborted) return Promise.resolve({ ok: false, error: 'cancelled' });
	return new Promise((resolve) => {
		let settled = false;
		function settle(asked: Asked): void {
			if (settled) return;
			settled = true;
			stopWaiting();
			signal.removeEventListener('abort', cancelled);
			resolve(asked);
		}
		const cancelled = () => settle({ ok: false, error: 'cancelled' });
		const stopWaiting = parts.clock.after(ANSWER_LIMIT_MS, () => settle({ ok: false, error: 'late' }));
		signal.addEventListener('abort', cancelled);
		parts.media.getUserMedia({ audio, video: false }).then(
			(stream) => {
				const track = stream.getAudioTracks()[0];
				// The caller has given up, so close the microphone.
				if (settled || !track) for (const late of stream.getTracks()) late.stop();
				settle(track ? { ok: true, value: { track, label: track.label } } : { ok: false, error: 'missing' });
			},
			(thrown: unknown) => settle({ ok: false, error: captureFailure(thrown), thrown }),
		);
	});
}

function constraintsOf(
	settings: CaptureSettings,
	deviceId: { readonly exact: string } | null,
): MediaTrackConstraints {
	// `voiceIsolation` stays off: an interpreter must hear the whole room. DOM types lack it.
	const audio: MediaTrackConstraints & { voiceIsolation: boolean } = {
		echoCancellation: settings.echoCancellation,
		noiseSuppression: settings.noiseSuppression,
		autoGainControl: settings.autoGainControl,
		channelCount: 1,
		voiceIsolation: false,
	};
	return deviceId ? { ...audio, deviceId } : audio;
}

type CaptureFailure = 'denied' | 'missing' | 'busy' | 'gone' | 'failed';

function captureFailure(error: unknown): CaptureFailure {
	return FAILURES[nameOf(error)] ?? 'failed';
}

function microphoneProblem(error: unknown, device: string): Problem {
	switch (captureFailure(error)) {
		case 'denied':
			return { kind: 'microphone-denied' };
		case 'missing':
		case 'gone':
			return { kind: 'microphone-missing' };
		case 'busy':
			return { kind: 'microphone-busy', device };
		case 'failed':
			return { kind: 'microphone-failed', device, reason: nameOf(error) };
	}
}

function nameOf(error: unknown): string {
	return error instanceof Error || error instanceof DOMException ? error.name : typeof error;
}
