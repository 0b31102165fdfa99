import type { Problem } from '#shared/problem.ts';

/** What a test of the way into a call goes through, in order. */
export const pathSteps = ['speaker', 'microphone', 'open', 'play', 'hear'] as const;
export type PathStep = (typeof pathSteps)[number];

/** The tone arrived, or the step that broke and what is known of it. */
export type PathOutcome =
	| {
			readonly passed: true;
			/** From playing to being heard, ms; about, to some 50 ms. */
			readonly delayMs: number;
			/** How much louder than it was played, dB. */
			readonly gainDb: number;
	  }
	/** The device is not in the list: taken away, or the program cannot see it. */
	| { readonly passed: false; readonly step: 'speaker' | 'microphone'; readonly label: string }
	/** The microphone, or the speaker, refused. */
	| { readonly passed: false; readonly step: 'open' | 'play'; readonly problem: Problem }
	/**
	 * It was played, and did not arrive. `silence`: the microphone gave nothing but zeros, so it is muted or
	 * hears another device; `other-sound`: it hears something, but not this.
	 */
	| { readonly passed: false; readonly step: 'hear'; readonly heard: 'silence' | 'other-sound' };

/** Quieter by more than this and the call's own noise gate may take it for nothing. */
const QUIET_DB = -20;

/** It arrived, but some volume on the way is turned down. */
export function isTooQuiet(outcome: Extract<PathOutcome, { passed: true }>): boolean {
	return outcome.gainDb < QUIET_DB;
}
