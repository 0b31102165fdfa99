import type { Problem } from '#shared/problem.ts';

/** The steps of a test of the path into a call, in order. */
export const pathSteps = ['speaker', 'microphone', 'open', 'play', 'hear'] as const;
export type PathStep = (typeof pathSteps)[number];

/** The tone arrived, or the step that failed and what is known about it. */
export type PathOutcome =
	| {
			readonly passed: true;
			/** From playback to arrival, ms; accurate to some 50 ms. */
			readonly delayMs: number;
			/** How much louder than it was played, dB. */
			readonly gainDb: number;
	  }
	/** The device is not in the list: taken away, or the program cannot see it. */
	| { readonly passed: false; readonly step: 'speaker' | 'microphone'; readonly label: string }
	/** The microphone, or the speaker, refused. */
	| { readonly passed: false; readonly step: 'open' | 'play'; readonly problem: Problem }
	/**
	 * It was played but did not arrive. `silence`: the microphone gave only zeros, so it is muted or hears another device;
	 * `other-sound`: it hears something else.
	 */
	| { readonly passed: false; readonly step: 'hear'; readonly heard: 'silence' | 'other-sound' };

/** Quieter than this, the call's own noise gate may suppress it. */
const QUIET_DB = -20;

/** It arrived, but some volume on the way is turned down. */
export function isTooQuiet(outcome: Extract<PathOutcome, { passed: true }>): boolean {
	return outcome.gainDb < QUIET_DB;
}
