import type { State } from '#shared/conversation/machine/state.ts';
import type { Clock } from '#shared/lib/clock.ts';

/** How long nobody heard what was said. While a room is away it is lost; a socket keeps it for later. */
export interface Absence {
	/** The machine made a step; before its effects are performed. */
	observe(before: State, after: State): void;
	/** A socket has been made, which keeps what is said from now on. */
	kept(): void;
	/** The socket that keeps it told that so much of it is lost, ms: that is marked already. */
	told(ms: number): void;
	/** A link was closed, and what it kept went with it. */
	closed(): void;
}

/** A gap that nobody would notice is not told, ms. */
const SHORTEST_MS = 500;

/** `lost` is told when somebody takes up again what is said, ms. */
export function createAbsence(clock: Pick<Clock, 'now'>, lost: (ms: number) => void): Absence {
	/** Since when nobody takes it up; null = somebody does, or nobody is to hear it. */
	let sinceMs: number | null = null;
	/** Since when a socket keeps what the interpreter does not hear yet. */
	let keptMs: number | null = null;

	function end(): void {
		const ms = sinceMs === null ? 0 : clock.now() - sinceMs;
		sinceMs = null;
		if (ms >= SHORTEST_MS) lost(ms);
	}

	return {
		observe({ stage: was }, { stage, muted }) {
			if (stage.name === was.name) return;
			if (was.name === 'live' && stage.name === 'reconnecting') {
				const isSaid = !stage.run.paused && !muted;
				sinceMs = isSaid && was.run.route === 'webrtc' ? clock.now() : null;
				keptMs = isSaid && was.run.route === 'websocket' ? clock.now() : null;
				return;
			}
			if (was.name === 'reconnecting' && stage.name === 'live') end();
			if (stage.name !== 'reconnecting') sinceMs = keptMs = null;
		},
		kept() {
			if (sinceMs === null) return;
			end();
			keptMs = clock.now();
		},
		told(ms) {
			if (keptMs !== null) keptMs = Math.min(clock.now(), keptMs + ms);
		},
		closed() {
			sinceMs ??= keptMs;
			keptMs = null;
		},
	};
}
