import type { Settings } from '#shared/settings/schema.ts';

/** What the user chose about one conversation; everything a task is built from. */
export type Choices = Pick<
	Settings,
	'mode' | 'speak' | 'detectable' | 'hear' | 'voiceOf' | 'voices' | 'preset' | 'expert'
>;
