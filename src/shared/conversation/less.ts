import type { Choices } from './choices.ts';
import { withFixedVoices } from './voice-choice.ts';

/** What not every service knows, and a conversation can be without. */
export type Lack = 'glossaries' | 'speakers-voice';

/**
 * What to ask for when a service refuses these choices: one thing at a time is left out. Null = there is nothing to
 * leave out.
 */
export function lessOf(choices: Choices): { readonly choices: Choices; readonly lacks: Lack } | null {
	if (choices.glossaries !== 'all')
		return { choices: { ...choices, glossaries: 'all' }, lacks: 'glossaries' };
	const fixed = withFixedVoices(choices);
	return fixed === choices ? null : { choices: fixed, lacks: 'speakers-voice' };
}
