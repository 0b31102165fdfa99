import type { TransportEvent } from './transport.ts';

/** Protocol 4.3: followed by the language, maybe with a suffix that the conversation can read. */
const VOICE_PREFIX = 'translation_';

export interface VoiceTracks {
	/** A remote audio track under its name; ignored unless it is a voice. */
	add(id: string, name: string, track: MediaStreamTrack): void;
	remove(id: string): void;
	/** Removes all, with an event for each. */
	clear(): void;
}

/** Language in a track's name, lower case; `null` when it is not a voice. */
export function voiceLanguage(trackName: string): string | null {
	const name = trackName.toLowerCase();
	const language = name.startsWith(VOICE_PREFIX) ? name.slice(VOICE_PREFIX.length) : '';
	return language === '' ? null : language;
}

/**
 * Exactly one voice per language, whatever is published: the newest track counts, and when it goes, the newest
 * remaining one (faults row 51).
 */
export function createVoiceTracks(tell: (event: TransportEvent) => void): VoiceTracks {
	interface Entry {
		readonly id: string;
		readonly language: string;
		readonly track: MediaStreamTrack;
	}
	let entries: readonly Entry[] = [];

	function current(language: string): Entry | undefined {
		return entries.findLast((entry) => entry.language === language);
	}

	function remove(id: string): void {
		const gone = entries.find((entry) => entry.id === id);
		if (!gone) return;
		const wasCurrent = current(gone.language) === gone;
		entries = entries.filter((entry) => entry !== gone);
		if (!wasCurrent) return;
		const next = current(gone.language);
		tell(
			next
				? { type: 'voice', language: next.language, track: next.track }
				: { type: 'voice-gone', language: gone.language },
		);
	}

	return {
		add(id, name, track) {
			const language = voiceLanguage(name);
			const known = entries.find((entry) => entry.id === id);
			if (known?.track === track && known.language === language) return;
			if (known && known.language !== language) remove(id);
			else entries = entries.filter((entry) => entry.id !== id);
			if (language === null) return;
			entries = [...entries, { id, language, track }];
			tell({ type: 'voice', language, track });
		},
		remove,
		clear() {
			const languages = new Set(entries.map((entry) => entry.language));
			entries = [];
			for (const language of languages) tell({ type: 'voice-gone', language });
		},
	};
}
