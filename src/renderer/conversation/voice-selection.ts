import type { KeepVoice, KeptVoice } from '#renderer/audio/kept-voice.ts';
import type { Mixer } from '#renderer/audio/mixer.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { matchLanguage, matchTarget } from '#shared/protocol/languages.ts';
import { VOICE_TRACK_PREFIX } from '#shared/protocol/vocabulary.ts';

/** Brings the voices of the link in use to the mixer under the names of the targets asked for. */
export interface VoiceSelection {
	/** `language` is what the track's name says (protocol 4.3). */
	came(link: number, language: string, track: MediaStreamTrack): void;
	went(link: number, language: string): void;
	/** What is asked for has changed; the first is in force, the second wanted. */
	expect(choices: Choices, wanted: Choices | null): void;
	/** This link's are heard from now on. */
	begin(link: number): void;
	/** As `begin`, but what the one before still says is heard first; what this one says meanwhile is kept. */
	handOver(from: number, to: number): void;
	/** The link is gone, and its voices with it. */
	drop(link: number): void;
}

type Tracks = Map<string, MediaStreamTrack>;

/** `keep` makes a voice wait for another; without it, what comes meanwhile is not heard. */
export function createVoiceSelection(
	mixer: Pick<Mixer, 'setVoice' | 'selectVoice'>,
	keep?: KeepVoice,
): VoiceSelection {
	const links = new Map<number, Tracks>();
	/** What the mixer has, by target. */
	const given: Tracks = new Map();
	/** Voices of the link in use that waited for the one before, until all of it was heard. */
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

	/** Those that have another before them are kept; kept ones that went, or have nothing to say first, are not any more. */
	function wait(behind: readonly MediaStreamTrack[], all: readonly MediaStreamTrack[]): void {
		if (!keep) return;
		for (const track of behind) if (!kept.has(track)) kept.set(track, keep(track, settle));
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
		came(link, language, track) {
			const tracks: Tracks = links.get(link) ?? new Map();
			links.set(link, tracks);
			// Re-inserted, so that the newest of two that mean the same target is the one heard.
			tracks.delete(language);
			tracks.set(language, track);
			settle();
		},
		went(link, language) {
			links.get(link)?.delete(language);
			settle();
		},
		expect(choices, wanted) {
			targets = [...new Set([...choices.hear, ...(wanted?.hear ?? [])])];
			mixer.selectVoice(matchLanguage(choices.voiceOf, choices.hear) ?? choices.hear[0] ?? null);
			settle();
		},
		begin(link) {
			inUse = link;
			settle();
		},
		handOver(from, to) {
			former = from;
			inUse = to;
			settle();
		},
		drop(link) {
			links.delete(link);
			if (former === link) former = null;
			settle();
		},
	};
}
