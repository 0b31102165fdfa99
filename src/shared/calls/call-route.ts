import type { VirtualMicrophone } from '#shared/host/routing.ts';
import { chooseDevice, isOwnDevice, type WantedDevice } from '#shared/sound/devices.ts';
import { type Cable, cableOf, findCables, type NamedDevice } from './cables.ts';

/** Where our voice goes in a call, and where the call hears it. */
export type CallRoute =
	/** Nothing to play on: none was chosen, and none exists. */
	| { readonly how: 'none' }
	/** It should be there, but is not in the device list (yet, or any more). */
	| { readonly how: 'missing'; readonly speakerLabel: string; readonly microphoneLabel: string | null }
	| {
			/** `other`: a device of the user's choice that we do not know as a cable. */
			readonly how: 'virtual' | 'cable' | 'other';
			readonly output: NamedDevice;
			/** What to choose in the call's program; null = unknown or not in the list. */
			readonly microphone: NamedDevice | null;
			/** The label of `microphone`, even while it is not in the list. */
			readonly microphoneLabel: string | null;
	  };

/** Never falls back to the loudspeakers: there the voice would be captured with the call and translated again. */
export function callRoute({
	callOutput,
	virtualMicrophone,
	outputs,
	inputs,
}: {
	/** Setting `callOutput`; null or our own device = the virtual microphone if it exists, otherwise the first cable. */
	readonly callOutput: WantedDevice;
	readonly virtualMicrophone: VirtualMicrophone;
	readonly outputs: readonly NamedDevice[];
	readonly inputs: readonly NamedDevice[];
}): CallRoute {
	const own = virtualMicrophone.state === 'ready' ? virtualMicrophone : null;
	if (callOutput && !isOwnDevice(callOutput)) {
		const choice = chooseDevice(callOutput, asDevices(outputs));
		if (choice.how !== 'wanted')
			return { how: 'missing', speakerLabel: callOutput.label, microphoneLabel: null };
		const { id, label } = choice.device;
		const cable = cableOf<NamedDevice>({ id, label }, inputs);
		return cable ? byCable(cable) : other({ id, label });
	}
	if (own) {
		const output = outputs.find(({ label }) => label === own.speakerLabel);
		const { speakerLabel, microphoneLabel } = own;
		if (!output) return { how: 'missing', speakerLabel, microphoneLabel };
		const microphone = inputs.find(({ label }) => label === microphoneLabel) ?? null;
		return { how: 'virtual', output, microphone, microphoneLabel };
	}
	const [cable] = findCables(outputs, inputs);
	return cable ? byCable(cable) : { how: 'none' };
}

function byCable({ output, input }: Cable): CallRoute {
	return { how: 'cable', output, microphone: input, microphoneLabel: input?.label ?? null };
}

function other(output: NamedDevice): CallRoute {
	return { how: 'other', output, microphone: null, microphoneLabel: null };
}

function asDevices(devices: readonly NamedDevice[]) {
	return devices.map(({ id, label }) => ({ id, label, group: '' }));
}
