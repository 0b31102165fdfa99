import type { State } from '#shared/conversation/machine/state.ts';
import type { Clock } from '#shared/lib/clock.ts';

/** How long nobody heard what was said. While a room is away it is lost; a socket tells by itself what it dropped. */
export interface Absence {
	/** The machine made a step. */
	observe(before: State, after: State): void;
	/** Somebody takes up what is said again: a socket that is about to be opened. */
	end(): void;
}

/** A gap that nobody would notice is not told, ms. */
const SHORTEST_MS = 500;

/** `lost` is told at the end of each absence, ms. */
export function createAbsence(clock: Pick<Clock, 'now'>, lost: (ms: number) => void): Absence {
	let sinceMs: number | null = null;

	function end(): void {
		const ms = sinceMs === null ? 0 : clock.now() - sinceMs;
		sinceMs = null;
		if (ms >= SHORTEST_MS) lost(ms);
	}

	return {
		observe({ stage: was }, { stage, muted }) {
			if (stage.name === was.name) return;
			if (was.name === 'live' && stage.name === 'reconnecting')
				sinceMs = stage.run.route === 'webrtc' && !stage.run.paused && !muted ? clock.now() : null;
			else if (was.name === 'reconnecting' && stage.name === 'live') end();
			else if (stage.name !== 'reconnecting') sinceMs = null;
		},
		end,
	};
}
