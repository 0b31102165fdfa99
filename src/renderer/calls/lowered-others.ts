import type { Mixer } from '#renderer/sound/mixer.ts';

export interface LoweredOthers {
	readonly mixer: Mixer;
	/** How loud the original stays while its translation is heard, 0 to 1. */
	setGain(gain: number): void;
}

/**
 * A mixer whose voice turns down the program that it translates while the voice is heard, but not when it is muted or
 * its volume is 0. `lower` is told each new gain; 1 = as before.
 */
export function withLoweredOthers(mixer: Mixer, lower: (gain: number) => void): LoweredOthers {
	let gain = 1;
	let volume = 1;
	let speaks = false;
	let told = 1;

	function apply(): void {
		const next = speaks && volume > 0 ? gain : 1;
		if (next === told) return;
		told = next;
		lower(next);
	}

	mixer.listen((event) => {
		if (event.type !== 'voice-active') return;
		speaks = event.active;
		apply();
	});
	return {
		mixer: {
			...mixer,
			setVoiceVolume(next) {
				volume = next;
				mixer.setVoiceVolume(next);
				apply();
			},
		},
		setGain(next) {
			gain = next;
			apply();
		},
	};
}
