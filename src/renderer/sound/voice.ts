import { type BackoffPlan, backoffDelay } from '#shared/lib/backoff.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';

const GESTURES = ['pointerdown', 'keydown'] as const;
/**
 * When the browser's own audio process has died, or the device under it, the element says `error` and is silent until
 * it is given its track anew (faults 96).
 */
const ANEW: BackoffPlan = { baseMs: 200, capMs: 2000, tries: 6 };
/** The elements share one output: all of them must release it first. */
const LET_GO_MS = 50;
/** An element that has played for this long counts as recovered. */
const MENDED_MS = 10_000;

/** One translated voice on its own `<audio>` element, the only thing that plays it. */
export interface Voice {
	readonly track: MediaStreamTrack;
	/** When not heard it keeps playing muted, so that it can be measured and switched to without a gap. */
	setHeard(heard: boolean): void;
	setVolume(volume: number): void;
	/** False = the device refused; the element stays where it was. */
	setSink(deviceId: string): Promise<boolean>;
	/** The devices changed: one that had given up plays again. */
	retry(): void;
	close(): void;
}

export function createVoice(
	track: MediaStreamTrack,
	parts: {
		readonly clock: Clock;
		readonly gestures?: EventTarget;
		readonly blocked: () => void;
	},
): Voice {
	const scope = createScope(parts.clock);
	const gestures = parts.gestures ?? window;
	const element = new Audio();
	element.autoplay = true;
	element.muted = true;
	element.srcObject = new MediaStream([track]);
	scope.add(() => {
		element.pause();
		element.srcObject = null;
	});
	let unwait = () => {};
	let failures = 0;
	let failedMs = Number.NEGATIVE_INFINITY;
	let hasGivenUp = false;

	/** Tries a few times, then gives up until the devices change, or another track brings another element. */
	function playAnew(): void {
		const now = parts.clock.now();
		failures = now - failedMs > MENDED_MS ? 1 : failures + 1;
		failedMs = now;
		const delayMs = backoffDelay(ANEW, failures, Math.random);
		element.srcObject = null;
		hasGivenUp = delayMs === null;
		if (delayMs !== null) scope.after(LET_GO_MS + delayMs, begin);
	}

	function begin(): void {
		element.srcObject = new MediaStream([track]);
		play();
	}

	function play(): void {
		unwait();
		element.play().catch((failure: unknown) => {
			// Anything but a refusal (`AbortError` on close or on a new source) needs no answer.
			if (scope.closed || !(failure instanceof DOMException) || failure.name !== 'NotAllowedError') return;
			for (const gesture of GESTURES) gestures.addEventListener(gesture, play);
			unwait = scope.add(() => {
				for (const gesture of GESTURES) gestures.removeEventListener(gesture, play);
			});
			parts.blocked();
		});
	}

	element.addEventListener('error', playAnew);
	scope.add(() => element.removeEventListener('error', playAnew));
	play();
	return {
		track,
		setHeard(heard) {
			if (element.muted !== heard) return;
			element.muted = !heard;
			// A muted element may play without a gesture; unmuted, the browser may have paused it.
			if (heard) play();
		},
		setVolume(volume) {
			element.volume = volume;
		},
		async setSink(deviceId) {
			if (element.sinkId === deviceId) return true;
			try {
				await element.setSinkId(deviceId);
				return true;
			} catch {
				return false;
			}
		},
		retry() {
			if (!hasGivenUp) return;
			hasGivenUp = false;
			failures = 0;
			begin();
		},
		close: () => scope.close(),
	};
}
