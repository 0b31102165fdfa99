import {
	AUTO,
	OFFERED_SOURCES,
	OFFERED_TARGETS,
	swap,
	TRANSCRIBED_SOURCES,
	TRANSCRIBED_TARGETS,
} from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** Languages that can be spoken and translated into alike (protocol 6.3). */
const bothWays = {
	sources: OFFERED_SOURCES.filter((code) => swap(code, 'en-us') !== null),
	targets: OFFERED_TARGETS.filter((code) => swap('en', code) !== null),
	detects: false,
};

/** The languages that a mode offers: captions without a voice have fewer (protocol 6.4). */
export function offeredIn(mode: Settings['mode']): {
	readonly sources: readonly string[];
	readonly targets: readonly string[];
	/** The spoken language can be detected. */
	readonly detects: boolean;
} {
	if (mode === 'captions')
		return {
			sources: TRANSCRIBED_SOURCES.filter((code) => code !== AUTO),
			targets: TRANSCRIBED_TARGETS,
			detects: true,
		};
	if (mode === 'meeting' || mode === 'listen' || mode === 'face') return bothWays;
	return { sources: OFFERED_SOURCES, targets: OFFERED_TARGETS, detects: true };
}
