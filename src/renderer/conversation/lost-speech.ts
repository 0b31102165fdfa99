import type { State } from '#shared/conversation/machine/state.ts';
import { runOf } from '#shared/conversation/machine.ts';
import type { Clock } from '#shared/lib/clock.ts';

/** Shorter gaps are not noticeable, and not reported, ms. */
export const SHORTEST_MS = 500;

export type Absence = ReturnType<typeof createAbsence>;

/** `ms` of speech that no interpreter heard, up to `untilMs` on the monotonic clock. */
export interface LostSpeech {
	readonly ms: number;
	readonly untilMs: number;
	/** True if the microphone was off, because the conversation had failed: no sound of it exists. */
	readonly wasOff: boolean;
}

/**
 * Measures how long no interpreter heard the speech. Speech is lost while a room is lost; a socket buffers
 * speech.
 * Calls `lost` once the speech is heard again, or never will be.
 */
export function createAbsence(clock: Pick<Clock, 'now'>, lost: (speech: LostSpeech) => void) {
	/** Since when speech is not heard; null = it is heard, or not meant to be heard. */
	let sinceMs: number | null = null;
	/** Since when a socket has buffered speech that the interpreter has not heard yet. */
	let keptMs: number | null = null;
	/** How much of it the socket has dropped, ms. */
	let droppedMs = 0;
	/** When the conversation failed, because it may resume; null = no speech was meant to be heard then. */
	let failedMs: number | null = null;
	/** True while the microphone is off after a failure. */
	let wasOff = false;
	/** The socket that buffers the present speech. */
	let keeper: number | null = null;

	function begin(): void {
		if (keeper !== null) keptMs ??= clock.now();
		else sinceMs ??= clock.now();
	}

	function tell(ms: number, untilMs: number): void {
		if (ms >= SHORTEST_MS) lost({ ms, untilMs, wasOff });
		wasOff = false;
	}

	function end(): void {
		const ms = sinceMs === null ? 0 : clock.now() - sinceMs;
		sinceMs = null;
		tell(ms, clock.now());
	}

	/** The microphone is opened again after a failure. */
	function beginOff(): void {
		sinceMs = failedMs;
		wasOff = true;
	}

	function over({ name }: State['stage']): void {
		// Only a link that continues delivers what it buffered, except for what it dropped: the oldest.
		if (name !== 'live' && name !== 'ending') sinceMs ??= keptMs;
		else if (keptMs !== null) tell(droppedMs, keptMs + droppedMs);
		end();
		keptMs = null;
		droppedMs = 0;
		if (name !== 'live') keeper = null;
	}

	return {
		/** Call this after each step of the machine, before its effects are performed. */
		observe(before: State, after: State): void {
			const { stage: was } = before;
			const { stage } = after;
			if (stage.name === 'reconnecting') {
				if (was.name === 'live' && was.run.route === 'websocket') keeper = was.link.id;
				if (was.name === 'failed' && isSaid(after)) beginOff();
				if (wasOff && stage.run.microphone.is === 'on') end();
				// Nothing is lost during a pause, or a mute within the pause.
				if (isSaid(after)) begin();
				else end();
			} else if (was.name === 'reconnecting') over(stage);
			if (stage.name === 'failed' && was.name !== 'failed') failedMs = isSaid(before) ? clock.now() : null;
		},
		/** A socket was created, which buffers all speech from now on. */
		kept(id: number): void {
			keeper = id;
			if (sinceMs === null) return;
			end();
			keptMs = clock.now();
			droppedMs = 0;
		},
		/**
		 * The socket dropped this much speech, ms. True if it buffers the speech of an outage: then `lost` is called after
		 * that.
		 */
		dropped(ms: number): boolean {
			if (keptMs === null) return false;
			droppedMs = Math.min(clock.now() - keptMs, droppedMs + ms);
			return true;
		},
		/** A link was closed, and any speech it buffered was dropped. */
		closed(id: number): void {
			if (keeper !== id) return;
			sinceMs ??= keptMs;
			keptMs = null;
			droppedMs = 0;
			keeper = null;
		},
	};
}

/** True if the present speech is meant for the interpreter. */
function isSaid({ stage, muted }: State): boolean {
	return !muted && runOf(stage)?.paused === false;
}
