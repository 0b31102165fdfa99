import type { Choices } from './choices.ts';
import { withFixedVoices } from './voice-choice.ts';

/** Features that not every service supports and that a conversation can do without. */
export type Lack = 'glossaries' | 'speakers-voice';

/**
 * What to request when a service refuses these choices: leaves out one thing at a time. Null = nothing can be left out.
 */
export function lessOf(choices: Choices): { readonly choices: Choices; readonly lacks: Lack } | null {
	if (choices.glossaries !== 'all')
		return { choices: { ...choices, glossaries: 'all' }, lacks: 'glossaries' };
	const fixed = withFixedVoices(choices);
	return fixed === choices ? null : { choices: fixed, lacks: 'speakers-voice' };
}
