import type { StoreApi } from 'zustand/vanilla';
import type { PathOutcome, PathStep } from '#shared/calls/path-outcome.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** What the window needs of microphones and loudspeakers; the composition root adapts the audio domain to it. */
export interface Sound {
	readonly store: StoreApi<SoundView>;
	/** The microphone's level right now, 0 to 1 on a perceptual scale; 0 when it is off. */
	microphoneLevel(): number;
	/** The same microphone's peak, dBFS, also below that scale; `FLOOR_DB` when it is off. */
	microphonePeakDb(): number;
	/** How loud what other programs play is right now, 0 to 1 likewise; 0 when nobody listens. */
	othersLevel(): number;
	/** How loud what we play is right now, 0 to 1 likewise. */
	outputLevel(): number;
	/**
	 * Opens the chosen microphone for the level meter while no conversation holds it. The caller ends
	 * it with the function it resolves to.
	 */
	listenIn(): Promise<Result<Cancel, Problem>>;
	/** A microphone other than the chosen one that delivers sound now; null = none. Takes a few seconds. */
	liveliest(): Promise<SoundDevice | null>;
	/** Plays the test sound on the chosen output; resolves when it has been played. */
	testOutput(): Promise<Result<void, Problem>>;
	/**
	 * Records the chosen microphone, to make a voice from. `ended` is called when recording stops by itself; `signal` ends
	 * it, also while the microphone is being opened.
	 */
	record(options: {
		readonly mostMs: number;
		readonly signal: AbortSignal;
		readonly ended: () => void;
	}): Promise<Result<Recording, Problem>>;
	/** Plays a recording on the chosen output; resolves when it has been played, or when `signal` ends it. `speed`: 1 = as it is. */
	play(take: Take, signal: AbortSignal, speed?: number): Promise<Result<void, Problem>>;
	/** Plays a tone on a speaker and listens for it on a microphone; `null` = `signal` ended it. */
	testPath(path: PathToTest): Promise<PathOutcome | null>;
}

export interface PathToTest {
	readonly speaker: SoundDevice;
	/** Label of the microphone it must be heard on. */
	readonly microphone: string;
	readonly signal: AbortSignal;
	/** Called as each step begins. */
	readonly tell: (step: PathStep) => void;
}

/** Mono 16 bit. */
export interface Take {
	readonly samples: Int16Array;
	readonly rateHz: number;
}

export interface Recording {
	readonly lengthMs: () => number;
	/** 0 to 1 as `microphoneLevel`. */
	readonly level: () => number;
	/** Microphone off at once; everything recorded so far. Calling it again returns the same. */
	stop(): Take;
}

export interface SoundDevice {
	readonly id: string;
	readonly label: string;
}

export interface SoundView {
	readonly microphones: readonly SoundDevice[];
	readonly outputs: readonly SoundDevice[];
	/** What "system default" stands for now; empty when unknown. */
	readonly systemMicrophone: string;
	readonly systemOutput: string;
	/** The lists were read at least once; before that an empty list proves nothing. */
	readonly listed: boolean;
	readonly permission: 'granted' | 'denied' | 'unknown';
}

export const noSound: SoundView = {
	microphones: [],
	outputs: [],
	systemMicrophone: '',
	systemOutput: '',
	listed: false,
	permission: 'unknown',
};
