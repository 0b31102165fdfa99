import type { Settings } from '#shared/settings/schema.ts';

/** What the user chose about one conversation; everything a task is built from. */
export type Choices = Pick<
	Settings,
	'mode' | 'speak' | 'detectable' | 'hear' | 'voiceOf' | 'voices' | 'glossaries' | 'preset' | 'expert'
> & {
	/** Both directions in one session: each target is spoken of the other languages only, and every voice is heard. */
	readonly bothWays?: true;
	/** The other side's language is found out by listening, among `detectable`. */
	readonly detectTheirs?: true;
};
