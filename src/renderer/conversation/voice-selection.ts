import type { Mixer } from '#renderer/sound/mixer.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { matchLanguage, matchTarget } from '#shared/protocol/languages.ts';
import { VOICE_TRACK_PREFIX } from '#shared/protocol/vocabulary.ts';
import type { KeptVoice } from './succession.ts';

type Tracks = Map<string, MediaStreamTrack>;

export type VoiceSelection = ReturnType<typeof createVoiceSelection>;

/** Gives the mixer the voices of the link in use, by language. `keep` makes a voice wait for another. */
export function createVoiceSelection(
	mixer: Pick<Mixer, 'setVoice' | 'selectVoice'>,
	keep: (track: MediaStreamTrack, changed: () => void) => KeptVoice | null,
) {
	const links = new Map<number, Tracks>();
	/** The tracks given to the mixer, by target. */
	const given: Tracks = new Map();
	/** Voices of the link in use that wait until the previous link has been heard to its end. */
	const kept = new Map<MediaStreamTrack, KeptVoice>();
	let targets: readonly string[] = [];
	let inUse: number | null = null;
	let former: number | null = null;

	function nameOf(language: string): string {
		// A suffix may follow the code; a region may be missing on either side.
		return (
			matchTarget(`${VOICE_TRACK_PREFIX}${language}`, targets) ?? matchLanguage(language, targets) ?? language
		);
	}

	function named(link: number | null): Tracks {
		const tracks = link === null ? undefined : links.get(link);
		return new Map([...(tracks ?? [])].map(([language, track]) => [nameOf(language), track]));
	}

	function settle(): void {
		const own = named(inUse);
		const before = named(former);
		wait(
			[...own].flatMap(([name, track]) => (before.has(name) ? [track] : [])),
			[...own.values()],
		);
		const heard = [...own].flatMap(([name, track]): [string, MediaStreamTrack][] => {
			const played = kept.has(track) ? kept.get(track)?.track : track;
			return played ? [[name, played]] : [];
		});
		give(new Map([...heard, ...before]));
	}

	/** Keeps voices that must wait for another; releases kept voices that ended, or whose turn has come. */
	function wait(behind: readonly MediaStreamTrack[], all: readonly MediaStreamTrack[]): void {
		for (const track of behind) {
			const voice = kept.has(track) ? null : keep(track, settle);
			if (voice) kept.set(track, voice);
		}
		for (const [track, voice] of kept) {
			if (behind.includes(track)) continue;
			voice.letGo();
			if (all.includes(track) && voice.waits()) continue;
			kept.delete(track);
			voice.close();
		}
	}

	function give(next: Tracks): void {
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
		/** `language` comes from the name of the track (protocol 4.3). */
		came(link: number, language: string, track: MediaStreamTrack): void {
			const tracks: Tracks = links.get(link) ?? new Map();
			links.set(link, tracks);
			// Re-insert the track, so that the newest of two tracks for the same target is heard.
			tracks.delete(language);
			tracks.set(language, track);
			settle();
		},
		went(link: number, language: string): void {
			links.get(link)?.delete(language);
			settle();
		},
		/** The choices have changed; `choices` are in force, `wanted` are requested. */
		expect(choices: Choices, wanted: Choices | null): void {
			targets = [...new Set([...choices.hear, ...(wanted?.hear ?? [])])];
			mixer.selectVoice(matchLanguage(choices.voiceOf, choices.hear) ?? choices.hear[0] ?? null);
			settle();
		},
		/** Plays this link's voices from now on. */
		begin(link: number): void {
			inUse = link;
			settle();
		},
		/** Like `begin`, but first plays the rest of the previous voice, and keeps the new one meanwhile. */
		handOver(from: number, to: number): void {
			former = from;
			inUse = to;
			settle();
		},
		/** Removes a link that is gone, and its voices. */
		drop(link: number): void {
			links.delete(link);
			if (former === link) former = null;
			settle();
		},
	};
}
