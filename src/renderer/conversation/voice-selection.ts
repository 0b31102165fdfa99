import type { Mixer } from '#renderer/audio/mixer.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { matchLanguage, matchTarget } from '#shared/protocol/languages.ts';
import { VOICE_TRACK_PREFIX } from '#shared/protocol/vocabulary.ts';

/** Brings the voices of a link to the mixer under the names of the targets asked for. */
export interface VoiceSelection {
	/** `language` is what the track's name says (protocol 4.3). */
	came(language: string, track: MediaStreamTrack): void;
	went(language: string): void;
	/** What is asked for has changed; the first is in force, the second wanted. */
	expect(choices: Choices, wanted: Choices | null): void;
	/** The link is gone, and its voices with it. */
	drop(): void;
}

export function createVoiceSelection(mixer: Pick<Mixer, 'setVoice' | 'selectVoice'>): VoiceSelection {
	const tracks = new Map<string, MediaStreamTrack>();
	/** What the mixer has, by target. */
	const given = new Map<string, MediaStreamTrack>();
	let targets: readonly string[] = [];

	function nameOf(language: string): string {
		// A suffix may follow the code; a region may be missing on either side.
		return (
			matchTarget(`${VOICE_TRACK_PREFIX}${language}`, targets) ?? matchLanguage(language, targets) ?? language
		);
	}

	function settle(): void {
		const next = new Map([...tracks].map(([language, track]) => [nameOf(language), track]));
		for (const [name, track] of given) {
			if (next.get(name) === track) continue;
			given.delete(name);
			if (!next.has(name)) mixer.setVoice(name, null);
		}
		for (const [name, track] of next) {
			if (given.get(name) === track) continue;
			given.set(name, track);
			mixer.setVoice(name, track);
		}
	}

	return {
		came(language, track) {
			// Re-inserted, so that the newest of two that mean the same target is the one heard.
			tracks.delete(language);
			tracks.set(language, track);
			settle();
		},
		went(language) {
			tracks.delete(language);
			settle();
		},
		expect(choices, wanted) {
			targets = [...new Set([...choices.hear, ...(wanted?.hear ?? [])])];
			mixer.selectVoice(matchLanguage(choices.voiceOf, choices.hear) ?? choices.hear[0] ?? null);
			settle();
		},
		drop() {
			tracks.clear();
			settle();
		},
	};
}
