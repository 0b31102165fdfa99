import type { Correction } from '#shared/captions/correction.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** What the user chose about one conversation; everything a task is built from. */
export type Choices = Pick<
	Settings,
	'mode' | 'speak' | 'detectable' | 'hear' | 'voiceOf' | 'voices' | 'glossaries' | 'preset' | 'expert'
> & {
	/** Both directions in one session: each target is spoken only for the other languages, and every voice is heard. */
	readonly bothWays?: true;
	/**
	 * Made before anything is translated, for an interpreter on this computer only. Not called as in the settings, so that
	 * choices made of all settings send them to nobody.
	 */
	readonly correctedHere?: readonly Correction[];
	/** The other side's language is detected, among `detectable`. */
	readonly detectTheirs?: true;
};
