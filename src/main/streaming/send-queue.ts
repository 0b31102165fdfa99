/** Frames on their way to a socket: audio may be dropped, everything else keeps its place in the queue. */
export interface SendQueue {
	/** `audioMs` > 0 for audio: how long it sounds. False when there are too many other frames waiting. */
	offer(data: string | Uint8Array, audioMs: number): boolean;
	/** Audio that has not left yet, ms. */
	readonly audioMs: number;
	clear(): void;
}

export interface SendQueueParts {
	/** Hands one frame to the socket; `left` is called when the system has taken it. */
	readonly write: (data: string | Uint8Array, left: () => void) => void;
	/** That much audio was dropped, the oldest first. */
	readonly dropped: (audioMs: number) => void;
}

/** How much audio the socket is given before the system has taken it, ms (faults 72). */
const AHEAD_MS = 500;
/** No more audio than this waits, ms (faults 72). */
const LONGEST_MS = 2000;
/** Commands are limited to a few a second; if more than this wait, something is wrong. */
const MOST_FRAMES = 256;

interface Frame {
	readonly data: string | Uint8Array;
	readonly audioMs: number;
}

export function createSendQueue({ write, dropped }: SendQueueParts): SendQueue {
	const waiting: Frame[] = [];
	let givenMs = 0;
	let waitingMs = 0;

	function give(frame: Frame): void {
		givenMs += frame.audioMs;
		write(frame.data, () => {
			givenMs -= frame.audioMs;
			pump();
		});
	}

	function pump(): void {
		while (givenMs < AHEAD_MS) {
			const frame = waiting.shift();
			if (!frame) return;
			waitingMs -= frame.audioMs;
			give(frame);
		}
	}

	function trim(): void {
		let lostMs = 0;
		while (givenMs + waitingMs > LONGEST_MS) {
			const oldest = waiting.findIndex(({ audioMs }) => audioMs > 0);
			const [frame] = oldest === -1 ? [] : waiting.splice(oldest, 1);
			if (!frame) break;
			waitingMs -= frame.audioMs;
			lostMs += frame.audioMs;
		}
		if (lostMs > 0) dropped(lostMs);
	}

	return {
		offer(data, audioMs) {
			if (audioMs === 0 && waiting.length >= MOST_FRAMES) return false;
			waiting.push({ data, audioMs });
			waitingMs += audioMs;
			pump();
			trim();
			return true;
		},
		get audioMs() {
			return givenMs + waitingMs;
		},
		clear() {
			waiting.length = 0;
			waitingMs = 0;
		},
	};
}
