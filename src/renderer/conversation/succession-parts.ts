import type { AudioEngine } from '#renderer/sound/context.ts';
import { createKeepVoice } from '#renderer/sound/kept-voice.ts';
import { READING_MS, tapLevelLater } from '#renderer/sound/level-tap.ts';
import { dueMs, step } from '#shared/conversation/machine/succession.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createSpeechGap } from '#shared/sound/speech-gap.ts';
import type { Succession } from './parts.ts';

/** Everything needed to replace a live session: its own file, loaded once a session is live. */
export function createSuccession(parts: {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
}): Succession {
	return {
		step,
		dueMs,
		keepVoice: createKeepVoice(parts),
		pauses(track, quiet) {
			const gap = createSpeechGap();
			const heard = ({ rmsDb }: { readonly rmsDb: number }) => {
				const ms = gap.push(rmsDb, parts.clock.now());
				if (ms > 0) quiet(ms);
			};
			return tapLevelLater(parts, track, heard, READING_MS);
		},
	};
}
