import { isOwnDevice } from './own-device.ts';
import type { NamedDevice } from './telephone-headset.ts';

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
