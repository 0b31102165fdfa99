import {
	AUTO,
	OFFERED_SOURCES,
	OFFERED_TARGETS,
	TRANSCRIBED_SOURCES,
	TRANSCRIBED_TARGETS,
} from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** Stands in a list of languages for having none; no code looks like it. */
export const NO_TRANSLATION = 'none:translation';

/** Which languages can be chosen in a mode: captions without a voice know fewer (protocol 6.4). */
export function offeredIn(mode: Settings['mode']): {
	readonly sources: readonly string[];
	readonly targets: readonly string[];
} {
	if (mode === 'captions')
		return {
			sources: TRANSCRIBED_SOURCES.filter((code) => code !== AUTO),
			targets: TRANSCRIBED_TARGETS,
		};
	return { sources: OFFERED_SOURCES, targets: OFFERED_TARGETS };
}
