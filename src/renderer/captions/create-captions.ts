import { choicesOf, planOf } from '#renderer/conversation/choices.ts';
import type { Legs } from '#renderer/conversation/legs.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { legNames } from '#shared/leg-name.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { correctCaptions } from './corrected-captions.ts';
import { createSpokenRows } from './spoken-rows.ts';
import { createTranscript } from './transcript.ts';

export interface CaptionsMaking {
	readonly legs: Legs;
	readonly settings: SettingsMirror;
	readonly clock: Clock;
}

/** Captions as a person sees them: corrected, without what was put away, and with the row that is being spoken. */
export function createShownCaptions({ legs, settings, clock }: CaptionsMaking) {
	const values = () => settings.store.getState().values;
	const corrected = correctCaptions(legs.captions, {
		now: () => values().corrections,
		listen: settings.store.subscribe,
	});
	const spoken = createSpokenRows({
		legs: legNames.map((name) => ({
			...legs[name].conversation,
			choices: () => planOf(choicesOf(values()))[name],
		})),
		clock,
	});
	return { captions: createTranscript(corrected, legs, clock), spoken: spoken.store };
}
