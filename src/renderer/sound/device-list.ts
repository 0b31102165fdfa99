import type { RoutingMirror } from '#renderer/calls/virtual-microphone.ts';
import type { AppInfo } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Device } from '#shared/sound/devices.ts';

/** Thirty devices coming and going within a second count as one change (faults row 92). */
const DEBOUNCE_MS = 200;

export interface DeviceList {
	/** Without the default entries; ids are unique. */
	readonly inputs: readonly Device[];
	readonly outputs: readonly Device[];
	/** The system's current default device, or `null`. Its `label` is the hardware's own name if known. */
	readonly defaultInput: Device | null;
	readonly defaultOutput: Device | null;
	/** False until permission for a microphone was given: labels (and most devices) are hidden before. */
	readonly labelled: boolean;
}

export type MediaSource = Pick<
	MediaDevices,
	'enumerateDevices' | 'getUserMedia' | 'addEventListener' | 'removeEventListener'
>;

const none: DeviceList = {
	inputs: [],
	outputs: [],
	defaultInput: null,
	defaultOutput: null,
	labelled: false,
};

export type Devices = ReturnType<typeof createDevices>;

/** Microphones and loudspeakers, always current. A small store; zustand's `useStore` accepts it directly. */
export function createDevices(parts: { readonly media: MediaSource; readonly clock: Clock }) {
	const scope = createScope(parts.clock);
	const listeners = createListeners<[list: DeviceList, before: DeviceList]>();
	let list = none;
	let reading = 0;
	let cancel = () => {};

	async function refresh(): Promise<DeviceList> {
		reading += 1;
		const mine = reading;
		let infos: readonly MediaDeviceInfo[] = [];
		try {
			infos = await parts.media.enumerateDevices();
		} catch {
			// No device system at all is the same as no devices.
		}
		// A newer reading has been started, so ignore this one.
		if (mine !== reading || scope.closed) return list;
		const next = describeDevices(infos);
		const before = list;
		if (JSON.stringify(next) === JSON.stringify(before)) return list;
		list = next;
		listeners.tell(list, before);
		return list;
	}

	function soon(): void {
		cancel();
		cancel = scope.after(DEBOUNCE_MS, () => void refresh());
	}

	parts.media.addEventListener('devicechange', soon);
	scope.add(() => parts.media.removeEventListener('devicechange', soon));
	void refresh();

	return {
		getState: (): DeviceList => list,
		getInitialState: (): DeviceList => none,
		/** Called after each change; returns an unsubscribe function. */
		subscribe: listeners.listen,
		/** Reads the list now (no event reports that permission was given). */
		refresh,
		close: (): void => scope.close(),
	};
}

/**
 * The browser's list as a `DeviceList`. Chromium repeats the default device under the id `default` ("Default - Name").
 */
export function describeDevices(infos: readonly MediaDeviceInfo[]): DeviceList {
	const inputs = infos.filter((info) => info.kind === 'audioinput');
	const outputs = infos.filter((info) => info.kind === 'audiooutput');
	return {
		inputs: realDevices(inputs),
		outputs: realDevices(outputs),
		defaultInput: defaultDevice(inputs),
		defaultOutput: defaultDevice(outputs),
		// Check outputs too: the permission remains when the last microphone is unplugged.
		labelled: [...inputs, ...outputs].some(({ label }) => label !== ''),
	};
}

function isAlias(info: MediaDeviceInfo): boolean {
	return info.deviceId === 'default' || info.deviceId === 'communications' || info.deviceId === '';
}

function realDevices(infos: readonly MediaDeviceInfo[]): readonly Device[] {
	return infos.filter((info) => !isAlias(info)).map(toDevice);
}

function toDevice(info: MediaDeviceInfo): Device {
	return { id: info.deviceId, label: info.label, group: info.groupId };
}

function defaultDevice(infos: readonly MediaDeviceInfo[]): Device | null {
	const alias = infos.find((info) => info.deviceId === 'default');
	const first = infos.find((info) => !isAlias(info)) ?? infos[0];
	if (!alias) return first ? toDevice(first) : null;
	const same = infos.find((info) => !isAlias(info) && info.groupId !== '' && info.groupId === alias.groupId);
	return same ? toDevice(same) : { ...toDevice(alias), label: alias.label.replace(/^[^-]+ - /, '') };
}

/** Interval of the polls: about how long users take to look for a headset that they just plugged in. */
const PERIOD_MS = 3000;
/** When to read the list after the virtual microphone came or went: at once, and after the browser has noticed. */
const LOOKS_MS = [0, 300, 1000] as const;

/** On Linux, Chromium does not hear of a sound server's devices, so this polls them. Returns a stop function. */
export function watchDevices({
	devices,
	routing,
	clock,
	platform,
}: {
	readonly devices: Pick<Devices, 'refresh'>;
	readonly routing: Pick<RoutingMirror, 'store'>;
	readonly clock: Clock;
	readonly platform: AppInfo['platform'];
}): Cancel {
	const scope = createScope(clock);
	const look = () => void devices.refresh();
	if (platform === 'linux') scope.every(PERIOD_MS, look);
	scope.add(
		routing.store.subscribe(({ virtualMicrophone: now }, { virtualMicrophone: before }) => {
			if (now.state === before.state) return;
			for (const afterMs of LOOKS_MS) scope.after(afterMs, look);
		}),
	);
	return () => scope.close();
}
