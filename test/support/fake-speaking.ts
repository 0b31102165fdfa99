import type { SpeakingEvent, SpeakingStream } from '#renderer/transport/speaking-stream.ts';
import type { SpokenVoice } from '#shared/typing/type-to-speak-queue.ts';

/** A stream for typed texts that does only what a test tells it. */
export interface FakeSpeaking {
	readonly voice: SpokenVoice;
	/** What was asked of it: `speak t1 Hola`, `drop t1`, `close`. */
	readonly did: readonly string[];
	tell(event: SpeakingEvent): void;
}

/** Keeps every stream that is opened, in order. */
export function createFakeSpeaking(kept: FakeSpeaking[]) {
	return (voice: SpokenVoice, heard: (event: SpeakingEvent) => void): SpeakingStream => {
		const did: string[] = [];
		kept.push({ voice, did, tell: heard });
		return {
			speak: (id, text) => void did.push(`speak ${id} ${text}`),
			drop: (id) => void did.push(`drop ${id}`),
			close: () => void did.push('close'),
		};
	};
}
