import type { Clock } from '#shared/lib/clock.ts';
import type { Scope } from '#shared/lib/scope.ts';
import { WARNING_CODE } from '#shared/protocol/vocabulary.ts';

/** Being ahead of or behind real time by more than this brings a warning, ms: five chunks of 320 ms. */
const TOLERANCE_MS = 1600;
/** Nothing for this long is a stall. */
const STALL_MS = 3000;
/** The same warning not more often than this. */
const AGAIN_MS = 2000;
const LOOK_MS = 250;

type Warning = (typeof WARNING_CODE)[keyof typeof WARNING_CODE];

const texts: Readonly<Partial<Record<Warning, string>>> = {
	[WARNING_CODE.tooFast]: 'Audio arrives faster than real time',
	[WARNING_CODE.tooSlow]: 'Audio arrives slower than real time',
	[WARNING_CODE.stalled]: 'No audio arrives; send silence, or pause_task to pause',
};

/** Watches whether audio comes at real time (protocol 4.6, 5.1.2). */
export interface Pacing {
	/** That much audio has just arrived. */
	arrived(audioMs: number): void;
}

/** `running` says whether audio is due at all: not before the task, nor while it is paused. */
export function createPacing(parts: {
	clock: Clock;
	scope: Scope;
	running: () => boolean;
	warn: (code: string, text: string) => void;
}): Pacing {
	const { clock, scope, running, warn } = parts;
	/** Real time and audio are compared from here on; null until audio comes. */
	let since: { startedAt: number; audioMs: number } | null = null;
	let lastAt = clock.now();
	let stalled = false;
	const told = new Map<string, number>();
	let lookedAt = clock.now();

	function say(code: Warning): void {
		const now = clock.now();
		// A warning ends this comparison; a new one starts.
		since = null;
		if (now - (told.get(code) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return;
		told.set(code, now);
		warn(code, texts[code] ?? '');
	}

	function look(): void {
		const now = clock.now();
		// When we ourselves were held up, what has arrived meanwhile is still unread.
		const heldUp = now - lookedAt > LOOK_MS * 2;
		lookedAt = now;
		if (heldUp) return;
		if (!running()) {
			since = null;
			stalled = false;
			lastAt = now;
			return;
		}
		if (now - lastAt >= STALL_MS) {
			if (!stalled) say(WARNING_CODE.stalled);
			stalled = true;
		} else if (since && now - since.startedAt - since.audioMs > TOLERANCE_MS) say(WARNING_CODE.tooSlow);
	}

	scope.every(LOOK_MS, look);

	return {
		arrived(audioMs) {
			if (!running()) return;
			const now = clock.now();
			lastAt = now;
			stalled = false;
			// The first piece was recorded before it arrived: it starts the comparison but does not count.
			if (!since) {
				since = { startedAt: now, audioMs: 0 };
				return;
			}
			since.audioMs += audioMs;
			if (since.audioMs - (now - since.startedAt) > TOLERANCE_MS) say(WARNING_CODE.tooFast);
		},
	};
}
