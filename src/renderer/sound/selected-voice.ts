import type { Mixer } from './mixer.ts';

/**
 * The mixer, which also reports the voice it plays: `changed` gets the track of the selected language, or null, and
 * that language, each time the track changes. It is called after the mixer has the track, except at `clear`, where
 * `changed` comes first.
 */
export function withSelectedVoice(
	mixer: Mixer,
	changed: (track: MediaStreamTrack | null, language: string | null) => void,
): Mixer {
	const tracks = new Map<string, MediaStreamTrack>();
	let selected: string | null = null;
	let told: MediaStreamTrack | null = null;
	function tell(): void {
		const track = (selected === null ? null : tracks.get(selected)) ?? null;
		if (track === told) return;
		told = track;
		changed(track, selected);
	}
	return {
		...mixer,
		setVoice(language, track) {
			if (track) tracks.set(language, track);
			else tracks.delete(language);
			mixer.setVoice(language, track);
			tell();
		},
		selectVoice(language) {
			selected = language;
			mixer.selectVoice(language);
			tell();
		},
		clear() {
			tracks.clear();
			tell();
			mixer.clear();
		},
	};
}
