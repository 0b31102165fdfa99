/** A microphone or loudspeaker in the system's list. */
export interface Device {
	/** Stable for this app on this computer, but may change after a reinstall; empty = the system default. */
	readonly id: string;
	/** The system's name of the device; empty until permission is given. */
	readonly label: string;
	/** The same for all inputs and outputs of one device; empty when unknown. */
	readonly group: string;
}

/** The chosen device; `null` = the system's default. */
export type WantedDevice = { readonly id: string; readonly label: string } | null;

export type DeviceChoice =
	/** The wanted device, found by its id or (after ids changed) by its label. */
	| { readonly how: 'wanted'; readonly device: Device }
	/** The user wants the default. */
	| { readonly how: 'default' }
	/** The wanted device is absent; the default replaces it. */
	| { readonly how: 'stand-in' };

/** Finds the device by id, then by label, otherwise uses the default. */
export function chooseDevice(wanted: WantedDevice, present: readonly Device[]): DeviceChoice {
	if (!wanted || wanted.id === 'default' || wanted.id === '') return { how: 'default' };
	const byId = present.find((device) => device.id === wanted.id);
	if (byId) return { how: 'wanted', device: byId };
	const byLabel = wanted.label === '' ? undefined : present.find((device) => device.label === wanted.label);
	return byLabel ? { how: 'wanted', device: byLabel } : { how: 'stand-in' };
}

/**
 * Whether the label is that of a virtual microphone of this program or of another instance, which must be used
 * neither as a microphone nor as a loudspeaker.
 */
export function isOwnDevice({ label }: { readonly label: string }): boolean {
	return /^Dragoman (voice|microphone)( \d+)?$/.test(label);
}

/** Microphones near the mouth, which pick up less of a room than those of a computer or a camera. */
const NEAR = /headset|headphone|earphone|earbuds|airpods|\bbuds\b|jabra|lavalier|lapel/i;
/** Microphones of a room, a camera or a screen, which pick up loudspeakers as well as people. */
const FAR = /webcam|camera|display|monitor|hdmi|array|conference|speakerphone|stereo mix/i;

/**
 * The microphone to try when the current one picks up the loudspeakers: preferably one near the mouth, a room
 * microphone last. Null if there is no other.
 */
export function otherMicrophone(
	inUse: Pick<NamedDevice, 'label'>,
	microphones: readonly NamedDevice[],
): NamedDevice | null {
	const others = microphones.filter(
		(one) => one.label !== '' && one.label !== inUse.label && !isOwnDevice(one),
	);
	return (
		others.find(({ label }) => NEAR.test(label)) ??
		others.find(({ label }) => !FAR.test(label)) ??
		others[0] ??
		null
	);
}

/** The named properties of a device. */
export interface NamedDevice {
	readonly id: string;
	readonly label: string;
}

/** Words in systems' names of a Bluetooth microphone with the low-quality headset profile. */
const TELEPHONE = /hands[- ]?free|\bhfp\b|\bhsp\b|head ?unit|\bag audio\b/i;
/** Headsets with a Bluetooth microphone, whatever name the system gives it. */
const WIRELESS =
	/bluetooth|airpods|\bbuds ?\d|\bbuds\b|earbuds|beats|\bw[hf]-\d{4}|quietcomfort|bose (qc|nc|700)|momentum|jabra (elite|evolve2? (55|65|75|85))|soundcore|tour pro|freebuds/i;
/** Built-in or stand-alone microphones. */
const BETTER = /built-?in|internal|macbook|imac|array|digital micro|webcam|usb|yeti|shure|rode|samson/i;

/**
 * A Bluetooth headset whose microphone is in use switches to telephone quality, in both directions. Null if that
 * is not the case; otherwise the microphone to use instead, if there is one.
 */
export function telephoneHeadset(
	microphone: Pick<NamedDevice, 'label'>,
	output: Pick<NamedDevice, 'label'>,
	microphones: readonly NamedDevice[],
): { readonly headset: string; readonly better: NamedDevice | null } | null {
	const isTelephone = TELEPHONE.test(microphone.label);
	const isSame = coreOf(microphone.label) !== '' && coreOf(microphone.label) === coreOf(output.label);
	if (!isTelephone && !(WIRELESS.test(microphone.label) && isSame)) return null;
	const others = microphones.filter(({ label }) => !TELEPHONE.test(label) && !WIRELESS.test(label));
	return {
		headset: microphone.label,
		better: others.find(({ label }) => BETTER.test(label)) ?? others[0] ?? null,
	};
}

/** The name of the headset itself, without the system's additions. */
function coreOf(label: string): string {
	const inner =
		/^(?:headset|headphones|head(?:set)? microphone|microphone|speakers?)\s*\((.*)\)$/i.exec(label)?.[1] ??
		label;
	return inner
		.replace(/\b(hands[- ]?free( ag audio)?|stereo|ag audio|bluetooth)\b/gi, '')
		.trim()
		.toLowerCase();
}
