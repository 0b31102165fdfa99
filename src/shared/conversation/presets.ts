import type { Choices } from './choices.ts';

/** The values that a preset sets (protocol 9.1, inside the bounds of 4.5). */
export interface PresetValues {
	/** Silence that closes a segment, seconds. Below 0.4 the service splits too eagerly. */
	readonly silenceThresholdS: number;
	/** If off, only silence closes a segment: in unbroken speech the first audio came after 16 s, not 8 s. */
	readonly sentenceSplitter: boolean;
	/** Translates text that may still be rewritten: earlier captions, which may change. */
	readonly translatePartials: boolean;
	/** Backlog of translated speech that the service aims at, ms. */
	readonly desiredQueueMs: number;
	/** Old speech is dropped above this backlog, ms. Must exceed the desired one, or the service refuses it. */
	readonly maxQueueMs: number;
	/** Speeds speech up while the backlog grows. */
	readonly autoTempo: boolean;
	readonly minTempo: number;
	readonly maxTempo: number;
}

/**
 * - `fast`: short waits, a small backlog. Not the tightest queue allowed (2000/4000 ms): that starved
 *   the player about 40 % more often.
 * - `balanced`: the documented defaults.
 * - `accurate`: waits for whole thoughts, speaks at a natural pace, allows a longer backlog for it.
 */
export const presets: { readonly [Name in Choices['preset']]: PresetValues } = {
	fast: {
		silenceThresholdS: 0.4,
		sentenceSplitter: true,
		translatePartials: true,
		desiredQueueMs: 3000,
		maxQueueMs: 8000,
		autoTempo: true,
		minTempo: 1.15,
		maxTempo: 1.45,
	},
	balanced: {
		silenceThresholdS: 0.7,
		sentenceSplitter: true,
		translatePartials: false,
		desiredQueueMs: 5000,
		maxQueueMs: 20_000,
		autoTempo: true,
		minTempo: 1.15,
		maxTempo: 1.45,
	},
	accurate: {
		silenceThresholdS: 0.9,
		sentenceSplitter: true,
		translatePartials: false,
		desiredQueueMs: 8000,
		maxQueueMs: 24_000,
		autoTempo: true,
		minTempo: 1.0,
		maxTempo: 1.2,
	},
};

/** The preset's values with the expert's overrides; pairs that the service would refuse are adjusted. */
export function valuesOf({ preset, expert }: Pick<Choices, 'preset' | 'expert'>): PresetValues {
	const base = presets[preset];
	const desiredQueueMs = expert.desiredQueueMs ?? base.desiredQueueMs;
	const maxQueueMs = expert.maxQueueMs ?? base.maxQueueMs;
	const minTempo = expert.minTempo ?? base.minTempo;
	const maxTempo = expert.maxTempo ?? base.maxTempo;
	return {
		silenceThresholdS: expert.silenceThresholdS ?? base.silenceThresholdS,
		sentenceSplitter: expert.sentenceSplitter ?? base.sentenceSplitter,
		translatePartials: expert.translatePartials ?? base.translatePartials,
		desiredQueueMs,
		maxQueueMs: maxQueueMs > desiredQueueMs ? maxQueueMs : desiredQueueMs + QUEUE_GAP_MS,
		autoTempo: expert.autoTempo ?? base.autoTempo,
		minTempo,
		maxTempo: Math.max(minTempo, maxTempo),
	};
}

/** The expert's overrides on this computer: half a second of silence ends a sentence. */
export function expertHere({ preset, expert }: Pick<Choices, 'preset' | 'expert'>): Choices['expert'] {
	return {
		...expert,
		silenceThresholdS: expert.silenceThresholdS ?? (preset === 'balanced' ? 0.5 : null),
		translatePartials: expert.translatePartials ?? true,
	};
}

/** Gap between the desired and the maximum queue if a person overrode only one of them. */
const QUEUE_GAP_MS = 2000;
