import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import { createActivity } from '#shared/sound/activity.ts';
import { chooseDevice } from '#shared/sound/devices.ts';
import type { Level } from '#shared/sound/level.ts';
import type { AudioEngine } from './context.ts';
import type { DeviceList } from './device-list.ts';
import { type TapParts, tapLevelLater } from './meter.ts';
import { type Captured, type CaptureParts, type CaptureSettings, capture } from './microphone-capture.ts';

/** The user's microphone, captured between `open` and `close`. Owns its tracks; nothing else stops them. */
export interface Microphone {
	/** Opens the microphone, or returns the open track. If closed meanwhile: `cancelled`, and nothing stays open. */
	open(): Promise<Result<MediaStreamTrack, Problem>>;
	/** Sends silence instead of sound, on this and every later track until changed. Frames keep flowing. */
	setMuted(muted: boolean): void;
	/** Turns the microphone off at once: on return, none of its tracks is live. */
	close(): void;
	listen(heard: (event: MicrophoneEvent) => void): () => void;
	/** Display name of the device in use; empty when closed or nameless. */
	readonly device: string;
	/** Applies changed settings: if open, switches to the device wanted now, after any switch under way. */
	apply(): Promise<void>;
}

export type MicrophoneEvent =
	/** Another device took over; send `track` from now on, because the previous track has ended. */
	| {
			readonly type: 'replaced';
			readonly track: MediaStreamTrack;
			readonly from: string;
			readonly to: string;
	  }
	/** The microphone stopped and no other could be opened. A device that comes back is used and reported as `replaced`. */
	| { readonly type: 'lost'; readonly problem: Problem }
	/** The microphone is open and unmuted, but delivers no sound. */
	| { readonly type: 'silent'; readonly device: string }
	/** The user has muted it or released the talk key: no more speech for now. */
	| { readonly type: 'muted' }
	| { readonly type: 'speaking-while-muted' };

export interface MicrophoneParts extends CaptureParts {
	readonly engine: AudioEngine;
	readonly log: Logger;
	/** Called at each opening, so that the newest settings apply. */
	readonly captureSettings: () => CaptureSettings;
	/** Called with the loudness of each `READING_MS` of the microphone, dBFS, muted or not. */
	readonly heard?: (rmsDb: number) => void;
}

/** One device that is being captured. */
interface Live extends Captured {
	readonly scope: Scope;
	readonly watch: MicrophoneWatch;
	/** The system's default device at opening, to notice when it changes. */
	readonly defaultKey: string;
}

/** State from `open` to `close`. */
interface Holding {
	readonly abort: AbortController;
	live: Live | null;
	/** Last known device name, for `from`. */
	name: string;
	switching: Promise<Result<MediaStreamTrack, Problem>> | null;
	/** True if the settings changed after the new device was chosen. */
	outdated: boolean;
	/** The list from which the new device was chosen. */
	listed: DeviceList;
}

export function createMicrophone(parts: MicrophoneParts): Microphone {
	const listeners = createListeners<[event: MicrophoneEvent]>();
	let holding: Holding | null = null;
	let muted = false;
	let unwatchDevices = () => {};

	function tell(event: MicrophoneEvent): void {
		listeners.tell(event);
	}

	function begin(held: Holding, captured: Captured): Live {
		const { track } = captured;
		// Mute before anybody gets the track, so that no frame leaves unmuted.
		track.enabled = !muted;
		const scope = createScope(parts.clock);
		const ended = () => void replace(held);
		track.addEventListener('ended', ended);
		scope.add(() => track.stop());
		scope.add(() => track.removeEventListener('ended', ended));
		const told = (event: 'silent' | 'speaking-while-muted') =>
			tell(event === 'silent' ? { type: 'silent', device: held.name } : { type: event });
		const watch = watchMicrophone(parts, track, told, parts.heard);
		scope.add(() => watch.close());
		// The list as it was when the device was requested; before permission, it has nothing to compare with.
		const listed = held.listed.labelled ? held.listed : parts.devices.getState();
		const live = { ...captured, scope, watch, defaultKey: defaultKey(listed) };
		held.live = live;
		held.name = captured.label;
		return live;
	}

	/** Opens the device wanted now in place of the present one; one replacement at a time. */
	function replace(held: Holding): Promise<Result<MediaStreamTrack, Problem>> {
		held.switching ??= change(held).finally(() => switched(held));
		return held.switching;
	}

	/** Applies the changes that arrived while the device was being switched. */
	function switched(held: Holding): void {
		held.switching = null;
		if (held !== holding) return;
		const list = parts.devices.getState();
		if (held.outdated) void replace(held);
		else if (list !== held.listed) devicesChanged(list);
	}

	/** Opens the device wanted now; `switched` handles changes from here on. */
	function captureFor(held: Holding): ReturnType<typeof capture> {
		held.outdated = false;
		held.listed = parts.devices.getState();
		return capture(parts, parts.captureSettings(), held.abort.signal);
	}

	async function change(held: Holding): Promise<Result<MediaStreamTrack, Problem>> {
		const from = held.name;
		// The event that led here may arrive before the list is updated.
		await parts.devices.refresh();
		const captured = await captureFor(held);
		if (held !== holding) {
			if (captured.ok) captured.value.track.stop();
			return err({ kind: 'cancelled' });
		}
		const before = held.live;
		if (!captured.ok) {
			if (before && before.track.readyState === 'live') return captured;
			before?.scope.close();
			held.live = null;
			parts.log.error('microphone lost', { problem: captured.error.kind });
			tell({ type: 'lost', problem: captured.error });
			return captured;
		}
		before?.scope.close();
		const live = begin(held, captured.value);
		parts.log.info('microphone replaced', { stoodIn: !captured.value.wanted });
		tell({ type: 'replaced', track: live.track, from, to: live.label });
		return ok(live.track);
	}

	function devicesChanged(list: DeviceList): void {
		const held = holding;
		if (!held || held.switching) return;
		if (!held.live || betterThere(held.live, list)) void replace(held);
	}

	/** True if the wanted device is back, or if the user wants the default and the default has changed. */
	function betterThere(live: Live, list: DeviceList): boolean {
		const choice = chooseDevice(parts.captureSettings().microphone, list.inputs);
		if (choice.how === 'wanted') return !live.wanted;
		return choice.how === 'default' && list.defaultInput !== null && defaultKey(list) !== live.defaultKey;
	}

	async function open(): Promise<Result<MediaStreamTrack, Problem>> {
		if (holding) {
			if (holding.live?.track.readyState === 'live') return ok(holding.live.track);
			return replace(holding);
		}
		const held: Holding = {
			abort: new AbortController(),
			live: null,
			name: '',
			switching: null,
			outdated: false,
			listed: parts.devices.getState(),
		};
		holding = held;
		held.switching = first(held).finally(() => switched(held));
		return held.switching;
	}

	async function first(held: Holding): Promise<Result<MediaStreamTrack, Problem>> {
		const captured = await captureFor(held);
		// Permission made the labels readable; no event reports that.
		if (captured.ok && !parts.devices.getState().labelled) await parts.devices.refresh();
		if (held !== holding) {
			if (captured.ok) captured.value.track.stop();
			return err({ kind: 'cancelled' });
		}
		if (!captured.ok) {
			close();
			return captured;
		}
		const live = begin(held, captured.value);
		unwatchDevices = parts.devices.subscribe(devicesChanged);
		parts.log.info('microphone open', { stoodIn: !captured.value.wanted });
		return ok(live.track);
	}

	function close(): void {
		const held = holding;
		if (!held) return;
		holding = null;
		unwatchDevices();
		unwatchDevices = () => {};
		held.abort.abort();
		held.live?.scope.close();
		parts.log.info('microphone closed');
	}

	return {
		open,
		setMuted(next) {
			muted = next;
			if (!holding?.live) return;
			holding.live.track.enabled = !next;
			holding.live.watch.setMuted(next);
		},
		close,
		listen: listeners.listen,
		get device() {
			return holding?.name ?? '';
		},
		async apply() {
			if (!holding) return;
			if (holding.switching) holding.outdated = true;
			await replace(holding);
		},
	};
}

function defaultKey(list: DeviceList): string {
	return list.defaultInput ? `${list.defaultInput.id} ${list.defaultInput.label}` : '';
}

/** A microphone chosen anew at each opening, and kept until it is closed; passes mute and events on. */
export function createChosenMicrophone(choose: () => Microphone): Microphone {
	const listeners = createListeners<[event: MicrophoneEvent]>();
	let held: Microphone | null = null;
	let unlisten = () => {};
	let muted = false;
	const now = () => held ?? choose();

	function hold(next: Microphone): Microphone {
		if (held === next) return next;
		unlisten();
		held = next;
		unlisten = next.listen((event) => {
			listeners.tell(event);
		});
		next.setMuted(muted);
		return next;
	}

	return {
		open: () => hold(held ?? choose()).open(),
		setMuted(next) {
			muted = next;
			held?.setMuted(next);
		},
		close() {
			held?.close();
			unlisten();
			unlisten = () => {};
			held = null;
		},
		listen: listeners.listen,
		get device() {
			return now().device;
		},
		apply: () => now().apply(),
	};
}

/** An open microphone that is silent for this long is reported (faults row 86). */
const SILENT_AFTER_MS = 8000;
/** A working microphone, even with noise suppression in a quiet room, peaks above this. */
export const SIGNAL_DB = -80;
/** Speech near a microphone; typing and breathing are softer or shorter than the attack. */
const SPEECH = { onDb: -40, offDb: -50, attackMs: 250, holdMs: 400 };
/** Least time between two "you are muted" notices. */
const REPEAT_MUTED_MS = 20_000;

type MicrophoneWatch = ReturnType<typeof watchMicrophone>;

/** Watches an open microphone on a copy of its track, also while muted. `measured` gets each reading. */
function watchMicrophone(
	parts: TapParts,
	track: MediaStreamTrack,
	tell: (event: 'silent' | 'speaking-while-muted') => void,
	measured: (rmsDb: number) => void = () => {},
) {
	const copy = track.clone();
	copy.enabled = true;
	const speech = createActivity(SPEECH);
	let muted = !track.enabled;
	let soundAtMs = parts.clock.now();
	let toldSilent = false;
	let toldMutedAtMs = Number.NEGATIVE_INFINITY;

	function heard(level: Level): void {
		measured(level.rmsDb);
		const now = parts.clock.now();
		if (level.peakDb > SIGNAL_DB) {
			soundAtMs = now;
			toldSilent = false;
		}
		const speaking = speech.push(level.rmsDb, now);
		if (muted) {
			if (speaking && now - toldMutedAtMs >= REPEAT_MUTED_MS) {
				toldMutedAtMs = now;
				tell('speaking-while-muted');
			}
		} else if (!toldSilent && now - soundAtMs >= SILENT_AFTER_MS) {
			toldSilent = true;
			tell('silent');
		}
	}

	const scope = createScope(parts.clock);
	scope.add(() => copy.stop());
	scope.add(tapLevelLater(parts, copy, heard));

	return {
		setMuted(next: boolean): void {
			if (next === muted) return;
			muted = next;
			// Muted and unmuted times are judged separately.
			soundAtMs = parts.clock.now();
			toldSilent = false;
			toldMutedAtMs = Number.NEGATIVE_INFINITY;
			speech.reset();
		},
		close: (): void => scope.close(),
	};
}
