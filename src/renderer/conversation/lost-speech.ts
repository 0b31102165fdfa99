import type { State } from '#shared/conversation/machine/state.ts';
import { runOf } from '#shared/conversation/machine.ts';
import type { Clock } from '#shared/lib/clock.ts';

/** Shorter gaps are not noticeable, and not reported, ms. */
const SHORTEST_MS = 500;

export type Absence = ReturnType<typeof createAbsence>;

/**
 * Measures how long no interpreter heard the speech. Speech is lost while a room is lost; a socket buffers
 * speech.
 * Calls `lost` with the ms lost once the speech is heard again, or never will be.
 */
export function createAbsence(clock: Pick<Clock, 'now'>, lost: (ms: number) => void) {
	/** Since when speech is not heard; null = it is heard, or not meant to be heard. */
	let sinceMs: number | null = null;
	/** Since when a socket has buffered speech that the interpreter has not heard yet. */
	let keptMs: number | null = null;
	/** When the conversation failed, because it may resume; null = no speech was meant to be heard then. */
	let failedMs: number | null = null;
	/** The socket that buffers the present speech. */
	let keeper: number | null = null;

	function begin(): void {
		if (keeper !== null) keptMs ??= clock.now();
		else sinceMs ??= clock.now();
	}

	function end(): void {
		const ms = sinceMs === null ? 0 : clock.now() - sinceMs;
		sinceMs = null;
		if (ms >= SHORTEST_MS) lost(ms);
	}

	return {
		/** Call this after each step of the machine, before its effects are performed. */
		observe(before: State, after: State): void {
			const { stage: was } = before;
			const { stage } = after;
			if (stage.name === 'reconnecting') {
				if (was.name === 'live' && was.run.route === 'websocket') keeper = was.link.id;
				if (was.name === 'failed' && isSaid(after)) sinceMs = failedMs;
				// Nothing is lost during a pause, or a mute within the pause.
				if (isSaid(after)) begin();
				else end();
			} else if (was.name === 'reconnecting') {
				// Count the buffered speech as lost, because only a link that continues can deliver it.
				if (stage.name !== 'live' && stage.name !== 'ending') sinceMs ??= keptMs;
				end();
				keptMs = null;
				if (stage.name !== 'live') keeper = null;
			}
			if (stage.name === 'failed' && was.name !== 'failed') failedMs = isSaid(before) ? clock.now() : null;
		},
		/** A socket was created, which buffers all speech from now on. */
		kept(id: number): void {
			keeper = id;
			if (sinceMs === null) return;
			end();
			keptMs = clock.now();
		},
		/** The socket that buffers the speech reported this loss, ms, which is already marked. */
		told(ms: number): void {
			if (keptMs !== null) keptMs = Math.min(clock.now(), keptMs + ms);
		},
		/** A link was closed, and any speech it buffered was dropped. */
		closed(id: number): void {
			if (keeper !== id) return;
			sinceMs ??= keptMs;
			keptMs = null;
			keeper = null;
		},
	};
}

/** True if the present speech is meant for the interpreter. */
function isSaid({ stage, muted }: State): boolean {
	return !muted && runOf(stage)?.paused === false;
}
