import { createListeners } from '#shared/lib/listeners.ts';
import type { Lane, PacedPacket, Pacer, Speech } from './pacer.ts';
import { newSid } from './sids.ts';

/** One audio track of the translator, as clients see it. */
export interface VoiceTrack {
	readonly sid: string;
	readonly language: string;
	/** `translation_<target code>` (protocol 4.3). */
	readonly name: string;
	/** The result removes the listener. */
	listen(heard: (packet: PacedPacket) => void): () => void;
}

/** The voices there are now; exactly one per language, or two where `doubled`. */
export interface VoiceTracks {
	all(): readonly VoiceTrack[];
	/** Makes voices exist for exactly these; true when that changed anything. */
	set(languages: readonly string[]): boolean;
	/** In a language without a voice nothing is played: `done` resolves at once. */
	speak(language: string, packets: readonly Uint8Array[]): Speech;
	close(): void;
}

interface Entry {
	readonly voice: VoiceTrack;
	readonly lane: Lane;
}

export function createVoiceTracks(pacer: Pacer, doubled: () => boolean): VoiceTracks {
	let entries: readonly Entry[] = [];

	function open(language: string): Entry {
		const listeners = createListeners<[packet: PacedPacket]>();
		const lane = pacer.lane((packet) => {
			listeners.tell(packet);
		});
		const voice: VoiceTrack = {
			sid: newSid('TR'),
			language,
			name: `translation_${language}`,
			listen: listeners.listen,
		};
		return { voice, lane };
	}

	return {
		all: () => entries.map((entry) => entry.voice),
		set(languages) {
			const wanted = [...new Set(languages)].flatMap((language) =>
				doubled() ? [language, language] : [language],
			);
			const left = [...entries];
			const next = wanted.map((language) => {
				const index = left.findIndex((entry) => entry.voice.language === language);
				return index < 0 ? open(language) : (left.splice(index, 1)[0] ?? open(language));
			});
			const changed = left.length > 0 || next.length !== entries.length;
			for (const entry of left) entry.lane.close();
			entries = next;
			return changed;
		},
		speak(language, packets) {
			const speeches = entries
				.filter((entry) => entry.voice.language === language)
				.map((entry) => entry.lane.speak(packets));
			return {
				done: Promise.all(speeches.map((speech) => speech.done)).then(() => {}),
				drop() {
					for (const speech of speeches) speech.drop();
				},
			};
		},
		close() {
			for (const entry of entries) entry.lane.close();
			entries = [];
		},
	};
}
