import { createAssembler } from '#shared/captions/assembler.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { type Clock, pause } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import type { AudioInput } from './audio-input.ts';
import type { ServiceContext } from './context.ts';
import { createProgress, type Output } from './output.ts';
import { textsOf } from './output-files.ts';
import { untilAborted } from './terminal.ts';

/** A WAV header may round; a truncated file lacks more than this, ms. */
const ROUNDING_MS = 100;

/** Samples sent at a time: 100 ms. */
const PIECE = SOCKET_AUDIO.sampleRateHz / 10;

const LOOK_MS = 40;

/** Events of the connection that every speech socket reports. */
export type ConnectionEvent =
	| { readonly type: 'up' }
	| { readonly type: 'restoring'; readonly cause: string }
	| { readonly type: 'speech-lost'; readonly ms: number }
	| { readonly type: 'closed'; readonly problem: Problem };

/**
 * A sound file that is sent through a socket: how much was sent, how much was lost, which texts came back.
 * `cut` is called for each text that a lost connection leaves unfinished.
 */
export function createSoundRun(
	{ clock, output, signal }: ServiceContext,
	doing: string,
	cut: (segment: Segment) => void,
) {
	const progress = createProgress(output, doing);
	const assembler = createAssembler();
	const closed = new AbortController();
	let failure: Problem | null = null;
	let givenMs = 0;
	let lostMs = 0;
	let startedMs = 0;

	function fail(problem: Problem): void {
		failure ??= problem;
		closed.abort();
	}

	return {
		assembler,
		fail,
		/** Position in the sound, ms: the time since its start or, if sent faster than it plays, the amount sent. */
		nowMs: () => Math.max(clock.now() - startedMs, givenMs),
		/** How much of the sound was sent, ms. */
		givenMs: () => givenMs,
		connection(event: ConnectionEvent): void {
			switch (event.type) {
				case 'up':
					for (const segment of assembler.newEpoch(givenMs, givenMs)) cut(segment);
					return;
				case 'restoring':
					output.event(
						{ type: 'restoring', at_ms: Math.round(givenMs) },
						'The connection was lost; it is being restored.',
					);
					return;
				case 'speech-lost':
					lostMs += event.ms;
					assembler.lose(event.ms, givenMs);
					return;
				case 'closed':
					fail(event.problem);
			}
		},
		/** Sends all of `input`, then `tail`. True if nothing cut it short. */
		async give(input: AudioInput, engine: Listener, tail?: AsyncIterable<Int16Array>): Promise<boolean> {
			startedMs = clock.now();
			assembler.newEpoch(0, 0);
			const over = AbortSignal.any([signal, closed.signal]);
			await feed(input.samples, engine, clock, over, (ms) => {
				givenMs = ms;
				progress.at(ms, input.durationMs);
			});
			if (tail && !over.aborted) await feed(tail, engine, clock, over, () => {});
			return !over.aborted;
		},
		/** Why the run ended early; null = it did not. */
		failure: (): Problem | null => (signal.aborted ? { kind: 'cancelled' } : failure),
		/** Records the warnings for the user; returns the counts for the last event. */
		remark(input: AudioInput, unwritten: boolean) {
			const texts = textsOf(assembler);
			const remarks = remarksOf({ durationMs: input.durationMs, givenMs, lostMs, texts, unwritten });
			for (const remark of remarks) output.note(remark);
			return { given_ms: Math.round(givenMs), lost_ms: Math.round(lostMs) };
		},
	};
}

/** Paths of files that were written, one a line. */
export function tellFiles(output: Output, paths: readonly string[]): void {
	for (const path of paths) {
		output.event({ type: 'file', path });
		output.line(path);
	}
}

/** The note for a run that was cut off but left files. */
export const CUT_NOTE = 'It was cut off: what was finished until then is in the files called .cut.';

interface Listener {
	audio(pcm: Int16Array): void;
	readonly flowing: boolean;
}

/**
 * Sends sound to an engine as fast as the engine accepts it, which is real time with a service. Waits while
 * the engine's link is down. `given` is called with how much was sent, in ms from the beginning. Ends early
 * when `signal` aborts, even while no sound comes.
 */
async function feed(
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

/** How a run over a sound ended, if it did not fail. */
interface Ending {
	/** Length of the sound according to its file, ms; null = unknown. */
	readonly durationMs: number | null;
	/** How much sound there was, ms. */
	readonly givenMs: number;
	/** How much of that could not be sent, ms. */
	readonly lostMs: number;
	/** How many texts it produced. */
	readonly texts: number;
	/** True if text files were requested, and none was written. */
	readonly unwritten: boolean;
}

/** Warnings, for standard error, about a run that still ends with status 0. */
export function remarksOf(ending: Ending): readonly string[] {
	const { durationMs, givenMs, lostMs, texts } = ending;
	const remarks: string[] = [];
	if (lostMs > 0) remarks.push(`The connection was too slow: ${seconds(lostMs)} of sound were not sent.`);
	if (durationMs !== null && givenMs < durationMs - ROUNDING_MS)
		remarks.push(
			`The file is cut short: of the ${seconds(durationMs)} its head promises there are ${seconds(givenMs)}.`,
		);
	if (texts === 0) {
		const unwritten = ending.unwritten ? ' No captions were written.' : '';
		remarks.push(
			`Nothing was understood.${unwritten} Check that there is speech in it, in the language of --from.`,
		);
	}
	return remarks;
}

function seconds(ms: number): string {
	return `${(ms / 1000).toFixed(ms < 1000 ? 2 : 1)} s`;
}
