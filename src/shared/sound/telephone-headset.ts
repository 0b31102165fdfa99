/** A device as far as its name goes. */
export interface NamedDevice {
	readonly id: string;
	readonly label: string;
}

/** What systems write into the name of a Bluetooth microphone that makes its headset a telephone. */
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
