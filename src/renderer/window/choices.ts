import type { Choices } from '#shared/conversation/choices.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** The part of the settings one conversation is built from. */
export function choicesOf(settings: Settings): Choices {
	const { mode, speak, detectable, voiceOf, voices, preset, expert } = settings;
	const hear = mode === 'captions' && !settings.translateCaptions ? [] : settings.hear;
	return { mode, speak, detectable, hear, voiceOf, voices, preset, expert };
}

/** True when both would make the same conversation. */
export function sameChoices(one: Choices, other: Choices): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}
