import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AppInfo } from '#shared/host/contract.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { FLOOR_DB } from '#shared/sound/level.ts';
import type { PathOutcome, PathStep } from '#shared/sound/path-probe.ts';
import type { DeviceList } from './device-list.ts';
import { createMeter, type Meter, meterShare } from './meter.ts';
import type { Microphone } from './microphone.ts';
import { type Mixer, withSelectedVoice } from './mixer.ts';
import type { SoundActions, SoundActionsParts } from './sound-actions.ts';

/** Microphones and loudspeakers as the window needs them; the composition root adapts the audio domain to this. */
export interface Sound {
	readonly store: StoreApi<SoundView>;
	/** The microphone's level right now, 0 to 1 on a perceptual scale; 0 when it is off. */
	microphoneLevel(): number;
	/** Peak of the same microphone, dBFS, including levels below that scale; `FLOOR_DB` when it is off. */
	microphonePeakDb(): number;
	/** Current level of other programs' sound, on the same scale; 0 when it is not captured. */
	othersLevel(): number;
	/** Loudness of what we play right now, also 0 to 1. */
	outputLevel(): number;
	/** Opens the microphone for the level meter outside conversations. Resolves to a function that closes it. */
	listenIn(): Promise<Result<Cancel, Problem>>;
	/** Finds a microphone, other than the chosen one, that delivers sound now; null = none. Takes a few seconds. */
	liveliest(): Promise<SoundDevice | null>;
	/** Plays the test sound on the chosen output; resolves when it has been played. */
	testOutput(): Promise<Result<void, Problem>>;
	/** Records the microphone to create a voice. `ended`: it stopped by itself; `signal` stops it. */
	record(options: {
		readonly mostMs: number;
		readonly signal: AbortSignal;
		readonly ended: () => void;
	}): Promise<Result<Recording, Problem>>;
	/** Plays a recording on the chosen output until its end or `signal`. `speed`: 1 = unchanged. */
	play(take: Take, signal: AbortSignal, speed?: number): Promise<Result<void, Problem>>;
	/** Plays a tone on a speaker and listens for it on a microphone; `null` = `signal` ended it. */
	testPath(path: PathToTest): Promise<PathOutcome | null>;
}

interface PathToTest {
	readonly speaker: SoundDevice;
	/** Label of the microphone on which the tone must be heard. */
	readonly microphone: string;
	readonly signal: AbortSignal;
	/** Called as each step begins. */
	readonly tell: (step: PathStep) => void;
}

/** A recording, mono 16 bit. */
export interface Take {
	readonly samples: Int16Array;
	readonly rateHz: number;
}

export interface Recording {
	readonly lengthMs: () => number;
	/** 0 to 1 as `microphoneLevel`. */
	readonly level: () => number;
	/** Turns the microphone off at once and returns everything recorded so far. Further calls return the same. */
	stop(): Take;
}

export interface SoundDevice {
	readonly id: string;
	readonly label: string;
}

export interface SoundView {
	readonly microphones: readonly SoundDevice[];
	readonly outputs: readonly SoundDevice[];
	/** The device behind "system default"; empty if unknown. */
	readonly systemMicrophone: string;
	readonly systemOutput: string;
	/** True once the lists have been read; before that, an empty list proves nothing. */
	readonly listed: boolean;
	readonly permission: 'granted' | 'denied' | 'unknown';
}

export const noSound: SoundView = {
	microphones: [],
	outputs: [],
	systemMicrophone: '',
	systemOutput: '',
	listed: false,
	permission: 'unknown',
};

interface WindowSoundParts extends SoundActionsParts {
	readonly permission: AppInfo['microphone'];
	/** Asks the system again. */
	readPermission(): Promise<AppInfo['microphone']>;
}

export type WindowSound = ReturnType<typeof createWindowSound>;

/** Adapts the audio domain to the window. */
export function createWindowSound(parts: WindowSoundParts) {
	const store = createStore<SoundView>()(() => ({
		...viewOf(parts.devices.getState()),
		permission: parts.permission,
	}));
	const isDenied = () => store.getState().permission === 'denied';
	const heard = createMeter(parts);
	const tested = createMeter(parts);
	const played = createMeter(parts);
	const others = createMeter(parts);
	const toMe = createMeter(parts);
	/** Counts the calls of `listenIn`: only the latest may close `tested`. */
	let listening = 0;
	const unsubscribe = parts.devices.subscribe((list) => store.setState(viewOf(list)));

	/** The user may meanwhile have allowed the microphone in the system's settings. */
	async function lookAgain(): Promise<void> {
		if (!isDenied()) return;
		const permission = await parts.readPermission();
		// The microphone may have been opened meanwhile.
		if (isDenied()) store.setState({ permission });
	}
	window.addEventListener('focus', lookAgain);

	/** Loaded on demand, because the first paint does not need it. */
	async function actions(): Promise<SoundActions> {
		return (await import('./sound-actions.ts')).createSoundActions(parts);
	}

	const sound: Sound = {
		store,
		microphoneLevel: () => Math.max(shareOf(heard), shareOf(tested)),
		microphonePeakDb: () => Math.max(peakOf(heard), peakOf(tested)),
		othersLevel: () => shareOf(others),
		outputLevel() {
			// In a meeting, the user's translated voice goes to the call.
			const isCall = parts.settings.store.getState().values.mode === 'meeting';
			return Math.max(isCall ? 0 : shareOf(played), shareOf(toMe));
		},
		async listenIn() {
			listening += 1;
			const mine = listening;
			await tested.openMicrophone(parts.captureSettings());
			await parts.devices.refresh();
			// The microphone opened, so permission is granted, whatever the system reported before.
			if (isDenied() && tested.getState().state === 'open') store.setState({ permission: 'granted' });
			// Another microphone was chosen while this one opened; the meter now shows that one.
			if (mine !== listening) return ok(() => {});
			const view = tested.getState();
			return view.state === 'failed' ? err(view.problem) : ok(() => mine === listening && tested.close());
		},
		liveliest: async () => (await actions()).liveliest(),
		testOutput: async () => (await actions()).testOutput(),
		async record(options) {
			tested.close();
			return (await actions()).record(options);
		},
		play: async (take, signal, speed) => (await actions()).play(take, signal, speed),
		async testPath(path) {
			tested.close();
			return (await actions()).testPath(path);
		},
	};

	return {
		sound,
		/** Wraps a microphone so that the window shows its level while it is open. */
		metered: (microphone: Microphone): Microphone => withMeter(microphone, heard, () => tested.close()),
		/** Wraps the source of others' speech likewise. */
		meteredOthers: (source: Microphone): Microphone => withMeter(source, others, () => {}),
		/** Wraps a mixer so that the window shows the level of its selected voice. */
		meteredMixer: (mixer: Mixer): Mixer => withVoiceMeter(mixer, played),
		/** Wraps the mixer of the voice that only the user hears likewise. */
		meteredOthersMixer: (mixer: Mixer): Mixer => withVoiceMeter(mixer, toMe),
		close(): void {
			unsubscribe();
			window.removeEventListener('focus', lookAgain);
			for (const meter of [heard, tested, played, others, toMe]) meter.close();
		},
	};
}

/** Calls `opening` before opening the microphone. */
function withMeter(microphone: Microphone, meter: Meter, opening: () => void): Microphone {
	return {
		...microphone,
		get device() {
			return microphone.device;
		},
		async open() {
			opening();
			const opened = await microphone.open();
			if (opened.ok) meter.show(opened.value);
			return opened;
		},
		close() {
			meter.close();
			microphone.close();
		},
		listen: (tell) =>
			microphone.listen((event) => {
				if (event.type === 'replaced') meter.show(event.track);
				tell(event);
			}),
	};
}

function withVoiceMeter(mixer: Mixer, meter: Meter): Mixer {
	return withSelectedVoice(mixer, (track) => {
		if (track) meter.show(track);
		else meter.close();
	});
}

function shareOf(meter: Meter): number {
	const view = meter.getState();
	return view.state === 'open' ? meterShare(view.level) : 0;
}

function peakOf(meter: Meter): number {
	const view = meter.getState();
	return view.state === 'open' ? view.level.peakDb : FLOOR_DB;
}

function viewOf(list: DeviceList): Omit<SoundView, 'permission'> {
	return {
		microphones: list.inputs,
		outputs: list.outputs,
		systemMicrophone: list.defaultInput?.label ?? '',
		systemOutput: list.defaultOutput?.label ?? '',
		// Before permission the browser may hide devices: an empty list then proves nothing.
		listed: list.labelled,
	};
}
