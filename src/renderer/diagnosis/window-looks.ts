import type { Conversation } from '#renderer/conversation/conversation.ts';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import type { Host } from '#renderer/host.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { SIGNAL_DB } from '#renderer/sound/microphone.ts';
import type { Sound, SoundDevice } from '#renderer/sound/sound.ts';
import type { Transport } from '#renderer/transport/transport.ts';
import { fine, type Outcome, skipped, trouble, warning } from '#shared/diagnosis/checks.ts';
import type { SessionGrant } from '#shared/host/contract.ts';
import { type Clock, pause } from '#shared/lib/clock.ts';
import { chooseDevice, type WantedDevice } from '#shared/sound/devices.ts';
import { FLOOR_DB } from '#shared/sound/level.ts';

export interface WindowCheckParts {
	readonly host: Host;
	readonly clock: Clock;
	readonly settings: Pick<SettingsMirror, 'store'>;
	readonly sound: Sound;
	readonly conversation: Pick<Conversation, 'store'>;
	readonly createTransport: (grant: SessionGrant) => Transport;
	/** The permission's state according to the browser. */
	readonly permission: () => Promise<'granted' | 'denied' | 'prompt'>;
}

/** How long to listen to a microphone, ms. */
const LISTEN_MS = 1500;
const STEP_MS = 250;

function isBusy({ conversation }: WindowCheckParts): boolean {
	return isUnderWay(conversation.store.getState().phase);
}

/** Reads the browser's present answer, without a prompt. */
export async function lookAtPermission({ permission, sound }: WindowCheckParts): Promise<Outcome> {
	const state = await permission().catch(() => 'prompt' as const);
	if (state === 'denied' || sound.store.getState().permission === 'denied') {
		return trouble({ kind: 'microphone-denied' });
	}
	return fine(state === 'granted' ? 'permissionGranted' : 'permissionUnasked');
}

/** Listens until something is heard, at most `LISTEN_MS`, then closes the microphone. */
export async function lookAtMicrophone(parts: WindowCheckParts, signal: AbortSignal): Promise<Outcome> {
	if (isBusy(parts)) return skipped('roomBusy');
	const { sound, clock, settings } = parts;
	const opened = await sound.listenIn();
	if (!opened.ok) return trouble(opened.error);
	let peakDb = FLOOR_DB;
	for (let atMs = 0; atMs < LISTEN_MS && !signal.aborted && peakDb <= SIGNAL_DB; atMs += STEP_MS) {
		await pause(clock, STEP_MS);
		peakDb = Math.max(peakDb, sound.microphonePeakDb());
	}
	opened.value();
	const { systemMicrophone, microphones } = sound.store.getState();
	const device = nameInUse(settings.store.getState().values.microphone, microphones, systemMicrophone);
	return peakDb > SIGNAL_DB ? fine('microphoneHeard', { device }) : warning('microphoneQuiet', { device });
}

/** Whether anything can be played at all. */
export function lookAtOutput({ sound, settings }: WindowCheckParts): Outcome {
	const { outputs, systemOutput } = sound.store.getState();
	if (outputs.length === 0) return trouble({ kind: 'output-missing', device: '' });
	const device = nameInUse(settings.store.getState().values.output, outputs, systemOutput);
	return fine('outputsThere', { number: outputs.length, device });
}

/** The chosen device, or the system's default if none is chosen or the chosen one is missing. */
function nameInUse(wanted: WantedDevice, present: readonly SoundDevice[], system: string): string {
	const choice = chooseDevice(
		wanted,
		present.map((one) => ({ ...one, group: '' })),
	);
	const own = choice.how === 'wanted' ? choice.device.label : '';
	return (own || system || present[0]?.label || '?').slice(0, 200);
}

/** Joins a separate room with silence, checks which protocol the packets use, and deletes the session. */
export async function lookAtMedia(parts: WindowCheckParts, signal: AbortSignal): Promise<Outcome> {
	if (isBusy(parts)) return skipped('roomBusy');
	const { host, clock } = parts;
	/** Main counts a requested room as a conversation: report its end, unless a real one has begun meanwhile. */
	const over = () => {
		if (!isBusy(parts)) void host.ask('conversation.phase', { phase: 'idle', muted: false });
	};
	const granted = await host.ask('session.open', undefined);
	if (!granted.ok) {
		over();
		return trouble(granted.error);
	}
	const transport = parts.createTransport(granted.value);
	try {
		if (signal.aborted) return skipped('cancelled');
		await transport.setMicrophone(null);
		const opened = await transport.open(signal);
		if (!opened.ok) return trouble(opened.error);
		for (let atMs = 0; atMs < 5000 && !signal.aborted; atMs += STEP_MS) {
			const { way } = await transport.stats();
			if (way) return way === 'udp' ? fine('mediaUdp') : warning(way === 'tcp' ? 'mediaTcp' : 'mediaTls');
			await pause(clock, STEP_MS);
		}
		return fine('mediaJoined');
	} finally {
		await transport.close();
		await host.ask('session.close', { handle: granted.value.handle });
		over();
	}
}
