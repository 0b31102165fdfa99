import type { Mixer } from './mixer.ts';

export interface MutableMixer {
	readonly mixer: Mixer;
	/** Silences its voices, whatever their volume; everything else about them goes on. */
	mute(muted: boolean): void;
}

/** A mixer whose voices can be muted independently of their volume. */
export function withMute(mixer: Mixer): MutableMixer {
	let muted = false;
	let volume = 1;
	const apply = () => mixer.setVoiceVolume(muted ? 0 : volume);
	return {
		mixer: {
			...mixer,
			setVoiceVolume(next) {
				volume = next;
				apply();
			},
		},
		mute(next) {
			muted = next;
			apply();
		},
	};
}
