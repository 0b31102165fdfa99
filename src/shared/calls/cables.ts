import type { CableGuide, VirtualMicrophone } from '#shared/host/calls.ts';
import { chooseDevice, isOwnDevice, type WantedDevice } from '#shared/sound/devices.ts';

/** A device in the browser's list. */
export interface NamedDevice {
	readonly id: string;
	readonly label: string;
}

/** A product whose loudspeaker is another program's microphone. */
interface CableKind {
	readonly name: string;
	/** Label of the output that the voice is played on. */
	readonly output: RegExp;
	/** Label of the input that captures the played voice, derived from the match of `output`. */
	input(match: RegExpExecArray): RegExp;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const exactly = (text: string) => new RegExp(`^${escaped(text.trim())}`, 'i');

/*
 * Labels as the vendors' drivers report them to the system. Windows appends the driver in brackets ("CABLE Input
 * (VB-Audio Virtual Cable)"); Chromium appends "(Virtual)" to virtual devices of macOS.
 */
const kinds: readonly CableKind[] = [
	{
		name: 'VB-CABLE',
		// The free cable, and cables A to D of the packs: "CABLE-A Input", "CABLE In 16ch".
		output: /^(CABLE(?:-[A-D])?) In(?:put|\s+16\s*ch)\b/i,
		input: (match) => new RegExp(`^${escaped(match[1] ?? '')} Output\\b`, 'i'),
	},
	{
		name: 'VB-CABLE',
		output: /^VB-Cable\b/i,
		input: () => /^VB-Cable\b/i,
	},
	{
		name: 'VoiceMeeter',
		// "VoiceMeeter Input" is connected to B1 = "VoiceMeeter Output", Aux to Aux, VAIO3 to VAIO3.
		output: /^Voicemeeter\s+(?:(Aux|VAIO3)\s+)?(?:Input|In\b)/i,
		input: ([, bus]) =>
			new RegExp(`^Voicemeeter\\s+${bus === undefined ? '' : `${bus}\\s*`}(?:Out|B\\d)`, 'i'),
	},
	{
		name: 'BlackHole',
		output: /^(BlackHole\s+\d+\s*ch)\b/i,
		input: (match) => exactly(match[1] ?? ''),
	},
	{ name: 'Loopback', output: /^(Loopback Audio(?:\s+\d+)?)/i, input: (match) => exactly(match[1] ?? '') },
	{ name: 'Soundflower', output: /^(Soundflower \(\d+ch\))/i, input: (match) => exactly(match[1] ?? '') },
	{
		name: 'Virtual Audio Cable',
		output: /^(Line \d+) \(Virtual Audio Cable\)/i,
		input: (match) => new RegExp(`^${escaped(match[1] ?? '')} \\(Virtual Audio Cable\\)`, 'i'),
	},
];

export interface Cable<Device extends NamedDevice = NamedDevice> {
	/** Product name, for display. */
	readonly name: string;
	/** The device that plays the translated voice. */
	readonly output: Device;
	/** The device that the call captures; null = it is not in the list. */
	readonly input: Device | null;
}

/** The product if this is the output of a known cable, otherwise null. */
export function cableName(outputLabel: string): string | null {
	return kinds.find(({ output }) => output.test(outputLabel.trim()))?.name ?? null;
}

/** The cables among the devices, each with the matching input. */
export function findCables<Device extends NamedDevice>(
	outputs: readonly Device[],
	inputs: readonly Device[],
): readonly Cable<Device>[] {
	return outputs.flatMap((output) => {
		const cable = cableOf(output, inputs);
		return cable ? [cable] : [];
	});
}

export function cableOf<Device extends NamedDevice>(
	output: Device,
	inputs: readonly Device[],
): Cable<Device> | null {
	for (const kind of kinds) {
		const match = kind.output.exec(output.label.trim());
		if (!match) continue;
		const hears = kind.input(match);
		return { name: kind.name, output, input: inputs.find(({ label }) => hears.test(label.trim())) ?? null };
	}
	return null;
}

/** Cables to install on systems where programs cannot create a virtual microphone, best first. */
export function guidesFor(platform: string): readonly CableGuide[] {
	if (platform === 'darwin') return ['blackhole', 'loopback'];
	return platform === 'win32' ? ['vb-cable'] : [];
}

/** The device that plays the translated voice in a call, and the device that the call captures. */
export type CallRoute =
	/** Nothing to play on: none was chosen, and none exists. */
	| { readonly how: 'none' }
	/** A device that should exist is not in the list (yet, or any more). */
	| { readonly how: 'missing'; readonly speakerLabel: string; readonly microphoneLabel: string | null }
	| {
			/** `other`: a device chosen by the user that is not a known cable. */
			readonly how: 'virtual' | 'cable' | 'other';
			readonly output: NamedDevice;
			/** The device to choose in the calling program; null = unknown or not in the list. */
			readonly microphone: NamedDevice | null;
			/** The label of `microphone`, even while it is not in the list. */
			readonly microphoneLabel: string | null;
	  };

/** Never falls back to the loudspeakers: their sound would be captured with the call and translated again. */
export function callRoute({
	callOutput,
	virtualMicrophone,
	outputs,
	inputs,
}: {
	/** Setting `callOutput`; null or our device = the virtual microphone if it exists, else the first cable. */
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
