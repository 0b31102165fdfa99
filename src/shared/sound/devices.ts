/** A microphone or loudspeaker as the system lists it. */
export interface Device {
	/** Stable for this app on this machine, but may change after a reinstall; empty = the system default. */
	readonly id: string;
	/** As the system names it; empty before permission was given. */
	readonly label: string;
	/** The same for all parts of one device; empty when unknown. */
	readonly group: string;
}

/** The chosen device; `null` = the system's default. */
export type WantedDevice = { readonly id: string; readonly label: string } | null;

export type DeviceChoice =
	/** The wanted one, under its id or (after ids changed) under its label. */
	| { readonly how: 'wanted'; readonly device: Device }
	/** The user wants the default. */
	| { readonly how: 'default' }
	/** The wanted one is not there now; the default stands in. */
	| { readonly how: 'stand-in' };

/** By id, else by label, else the default. */
export function chooseDevice(wanted: WantedDevice, present: readonly Device[]): DeviceChoice {
	if (!wanted || wanted.id === 'default' || wanted.id === '') return { how: 'default' };
	const byId = present.find((device) => device.id === wanted.id);
	if (byId) return { how: 'wanted', device: byId };
	const byLabel = wanted.label === '' ? undefined : present.find((device) => device.label === wanted.label);
	return byLabel ? { how: 'wanted', device: byLabel } : { how: 'stand-in' };
}

/**
 * By its label: one half of a virtual microphone of this program or of another instance. Neither to speak into nor to
 * listen on.
 */
export function isOwnDevice({ label }: { readonly label: string }): boolean {
	return /^Dragoman (voice|microphone)( \d+)?$/.test(label);
}

/** Microphones near a mouth, which hear less of a room than those of a computer or a camera. */
const NEAR = /headset|headphone|earphone|earbuds|airpods|\bbuds\b|jabra|lavalier|lapel/i;
/** Microphones of a room, a camera or a screen: they hear the loudspeakers as well as a person. */
const FAR = /webcam|camera|display|monitor|hdmi|array|conference|speakerphone|stereo mix/i;

/**
 * The microphone to try when the one in use hears the loudspeakers: preferably one near a mouth, a room microphone
 * last. Null if there is no other.
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

/** A device as far as its name goes. */
export interface NamedDevice {
	readonly id: string;
	readonly label: string;
}

/** Words that systems put into the name of a Bluetooth microphone in the low-quality headset profile. */
const TELEPHONE = /hands[- ]?free|\bhfp\b|\bhsp\b|head ?unit|\bag audio\b/i;
/** Headsets whose microphone is Bluetooth, whatever the system calls it. */
const WIRELESS =
	/bluetooth|airpods|\bbuds ?\d|\bbuds\b|earbuds|beats|\bw[hf]-\d{4}|quietcomfort|bose (qc|nc|700)|momentum|jabra (elite|evolve2? (55|65|75|85))|soundcore|tour pro|freebuds/i;
/** Microphones of the computer itself, or ones that stand by themselves. */
const BETTER = /built-?in|internal|macbook|imac|array|digital micro|webcam|usb|yeti|shure|rode|samson/i;

/**
 * A Bluetooth headset whose microphone is in use switches to telephone quality, in both directions. Null when that is
 * not so; otherwise the microphone to use instead, if there is one.
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

/** The name of the headset itself, without what systems put around it. */
function coreOf(label: string): string {
	const inner =
		/^(?:headset|headphones|head(?:set)? microphone|microphone|speakers?)\s*\((.*)\)$/i.exec(label)?.[1] ??
		label;
	return inner
		.replace(/\b(hands[- ]?free( ag audio)?|stereo|ag audio|bluetooth)\b/gi, '')
		.trim()
		.toLowerCase();
}
