import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { chooseDevice } from '#shared/sound/devices.ts';
import type { DeviceList, Devices } from './device-list.ts';

export interface OutputDevice {
	readonly id: string;
	readonly label: string;
}

export type Output = ReturnType<typeof createOutput>;

/** Plays on the chosen loudspeaker while it is present, and on the default while it is not. */
export function createOutput(parts: {
	readonly devices: Devices;
	readonly log: Logger;
	/** Moves all playback to this sink; false = refused at least in part. */
	readonly apply: (id: string) => Promise<boolean>;
	/** Called with the display names of both; empty = the system default. */
	readonly switched: (from: string, to: string) => void;
}) {
	let wanted: OutputDevice | null = null;
	let current: OutputDevice = { id: '', label: '' };
	let turn: Promise<unknown> = Promise.resolve();

	/** The chosen device if it is present, else the system default. */
	function aim(): OutputDevice {
		const choice = chooseDevice(wanted, parts.devices.getState().outputs);
		return choice.how === 'wanted' ? choice.device : { id: '', label: '' };
	}

	/** Moves to the device that `aim` returns; true if that succeeded. */
	async function move(): Promise<boolean> {
		const to = aim();
		if (to.id === current.id) return true;
		if (await parts.apply(to.id)) {
			current = to;
			return true;
		}
		// A device that refuses is as good as absent.
		current = { id: '', label: '' };
		await parts.apply('');
		return false;
	}

	/** Runs the changes one at a time, in order. */
	function inTurn<Value>(run: () => Promise<Value>): Promise<Value> {
		const next = turn.then(run);
		turn = next.catch(() => {});
		return next;
	}

	function devicesChanged(): Promise<void> {
		return inTurn(async () => {
			const from = current;
			await move();
			if (from.id === current.id) return;
			parts.log.warn('audio output switched', { toDefault: current.id === '' });
			parts.switched(from.label, current.label);
		});
	}

	const unwatch = parts.devices.subscribe((_list: DeviceList) => void devicesChanged());

	return {
		/** Sink in use now; empty = the system default. */
		get id(): string {
			return current.id;
		},
		/** `null` = the system default. The choice is kept even if the device is missing now. */
		choose: (device: OutputDevice | null): Promise<Result<void, Problem>> =>
			inTurn(async () => {
				wanted = device;
				// The list may not have been read yet.
				if (device) await parts.devices.refresh();
				const moved = await move();
				if (moved && (device === null || current.id !== '' || aimsAtDefault(device))) return ok();
				return err({ kind: 'output-missing', device: device?.label ?? '' });
			}),
		close: unwatch,
	};
}

function aimsAtDefault(device: OutputDevice): boolean {
	return chooseDevice(device, []).how === 'default';
}
