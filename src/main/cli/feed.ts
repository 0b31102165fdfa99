import type { Clock } from '#shared/lib/clock.ts';
import { pause } from '#shared/lib/pause.ts';
import { SOCKET_AUDIO } from '#shared/protocol/socket-audio.ts';
import { untilAborted } from './until-aborted.ts';

/** An engine that takes sound. */
export interface Listener {
	audio(pcm: Int16Array): void;
	readonly flowing: boolean;
}

/** Samples given at a time: 100 ms. */
const PIECE = SOCKET_AUDIO.sampleRateHz / 10;
const LOOK_MS = 40;

/**
 * Gives sound to an engine as fast as it takes it, which is real time; while its link is away the sound
 * waits. `given` hears how much went, in ms from the beginning. Ends early when `signal` aborts, even
 * while no sound comes.
 */
export async function feed(
	samples: AsyncIterable<Int16Array>,
	to: Listener,
	clock: Clock,
	signal: AbortSignal,
	given: (ms: number) => void,
): Promise<void> {
	let count = 0;
	for await (const batch of untilAborted(samples, signal)) {
		for (let at = 0; at < batch.length; at += PIECE) {
			while (!to.flowing) if (!(await pause(clock, LOOK_MS, signal))) return;
			if (signal.aborted) return;
			const piece = batch.subarray(at, at + PIECE);
			to.audio(piece);
			count += piece.length;
			given((count / SOCKET_AUDIO.sampleRateHz) * 1000);
		}
	}
}
