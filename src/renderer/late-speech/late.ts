import type { ConversationParts } from '#renderer/conversation/parts.ts';
import type { AudioEngine } from '#renderer/sound/context.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import { withSelectedVoice } from '#renderer/sound/selected-voice.ts';
import type { Transport } from '#renderer/transport/transport.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { LateSpeech } from './late-speech.ts';
import type { LateVoice } from './late-voice.ts';

export interface Late {
	/** The mixer, in which a late voice may join the live one. */
	readonly mixer: Mixer;
	readonly create: NonNullable<ConversationParts['late']>;
}

/** Nothing is kept, loaded or measured before somebody wants it. */
export function createLate(parts: {
	readonly engine: AudioEngine;
	readonly mixer: Mixer;
	readonly clock: Clock;
	readonly log: Logger;
	readonly createSocket: () => Transport;
	/** The person wants it, and there is a socket for it. */
	readonly wanted: () => boolean;
	/** Calls back when that may have changed. */
	readonly listen: (changed: () => void) => Cancel;
}): Late {
	const { engine, mixer, clock, log, createSocket } = parts;
	let voice: LateVoice | null = null;
	let live: readonly [MediaStreamTrack | null, string | null] = [null, null];

	return {
		mixer: withSelectedVoice(mixer, (...next) => {
			live = next;
			voice?.follow(...next);
		}),
		create(ends) {
			let track: MediaStreamTrack | null = null;
			let loaded: LateSpeech | null = null;
			let isLoading = false;
			let followed: MediaStreamTrack | null = null;

			async function load(): Promise<void> {
				const { createLateSpeech, createLateVoice, createVoiceMemory, openKeptSound, KEPT_MS } = await import(
					'./late-parts.ts'
				);
				voice = createLateVoice({ engine, mixer, clock, log });
				voice.follow(...live);
				// One second more, so that the oldest sound is still there when it is requested.
				const memory = createVoiceMemory({ engine, clock, log, seconds: KEPT_MS / 1000 + 1, lasting: true });
				const openSound = () => openKeptSound(engine);
				loaded = createLateSpeech({ ...ends, clock, log, memory, createSocket, openSound, voice });
			}

			function settle(): void {
				const kept = parts.wanted() ? track : null;
				if (loaded) {
					if (kept !== followed) loaded.follow(kept);
					followed = kept;
					return;
				}
				if (!kept || isLoading) return;
				isLoading = true;
				load()
					.then(settle)
					.catch(() => log.warn('what is said while a room is away cannot be kept'))
					.finally(() => {
						isLoading = false;
					});
			}

			parts.listen(settle);
			return {
				follow(next) {
					track = next;
					settle();
				},
				observe: (before, after) => loaded?.observe(before, after),
				missed: (ms) => parts.wanted() && (loaded?.missed(ms) ?? false),
			};
		},
	};
}
