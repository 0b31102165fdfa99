import { AS_HEARD, SOCKET_AUDIO, UNSENT_MS } from '#shared/protocol/limits.ts';
import { WARNING_CODE } from '#shared/protocol/vocabulary.ts';
import { PcmQueue } from '#shared/sound/pcm.ts';

/**
 * - `closed`: no task has run yet; speech is not kept (protocol 4.4)
 * - `holding`: the connection is being restored; speech is kept for later
 * - `flowing`: chunks are sent in real time
 * - `paused`: the task is paused; nothing is sent or kept
 */
type PacerPhase = 'closed' | 'holding' | 'flowing' | 'paused';

export interface PacerCounts {
	/** Chunks sent, silent ones included. */
	readonly chunks: number;
	/** Chunks made of silence because nothing was captured. */
	readonly silentChunks: number;
	/** Speech that should have been kept but was lost for lack of space, ms. */
	readonly droppedMs: number;
	/** Time cut out of pauses to make up for a delay, ms. */
	readonly shortenedMs: number;
}

/** The local interpreter gets more sound while less than this waits in the socket, ms; twice this is dropped. */
const HERE_AHEAD_MS = 1000;

/** How much speech is stored while the connection is down, ms (faults 74). */
export const KEPT_MS = 5000;
/** When nothing has been captured for this long, silence must be sent instead, ms (protocol 5.1.2: 500 to 800). */
const IDLE_MS = 640;
/** How much of a pause is kept while speech is late, ms: two sentences must not run together. */
const KEPT_PAUSE_MS = 400;
/** Anything quieter than this is a pause: 48 dB below full scale, squared. */
const QUIET_POWER = (32_768 * 10 ** (-48 / 20)) ** 2;
/** Loudness is judged over this long, ms. */
const FRAME_MS = 20;
/** How early a chunk may be sent, ms: captured sound arrives in uneven pieces. */
const EARLY_MS = 60;
/**
 * After a stall, at most this much of the sound captured meanwhile is sent at once, ms; the stream is never
 * ahead of real time. The service must expect such bursts, because any network that stalls causes them.
 */
const OWED_MS = 1000;

export interface PacerOptions {
	/** Default 320 (protocol 5.1.2). */
	readonly chunkMs?: number;
	/** Default 24,000. */
	readonly rateHz?: number;
	/** True if the sound can wait, as a file can: it is then not late, and its pauses stay as they are. */
	readonly canWait?: boolean;
	/** Chunks are sent as fast as the service processes them, not in real time (`AS_HEARD`). */
	readonly asHeard?: boolean;
	/** For the local interpreter, which accepts late sound all at once. */
	readonly isHere?: boolean;
}

export type Pacer = ReturnType<typeof createPacer>;

/** Sends sound in chunks, in real time (protocol 5.1.2). Pure: call `take` until null, again at `dueMs`. */
export function createPacer(options: PacerOptions = {}) {
	const rateHz = options.rateHz ?? SOCKET_AUDIO.sampleRateHz;
	const perMs = rateHz / 1000;
	const frame = new Int16Array(FRAME_MS * perMs);
	// The local interpreter must also get the speech from while its models are loaded.
	const keptMs = options.isHere ? 2 * UNSENT_MS : KEPT_MS;
	const canWait = options.canWait || options.isHere;
	const queue = new PcmQueue(new Int16Array((keptMs + SOCKET_AUDIO.chunkMs) * perMs));
	let chunkMs = options.chunkMs ?? SOCKET_AUDIO.chunkMs;
	let phase: PacerPhase = 'closed';
	let nextMs = 0;
	let idleFromMs = 0;
	let framed = 0;
	let pauseMs = 0;
	let finishing = false;
	/** True: send a chunk even if it is not full. */
	let flushing = false;
	/** True while nothing has been sent since the stream began to flow. */
	let isFresh = true;
	let owedMs = OWED_MS;
	let sentMs = 0;
	let heardMs = 0;
	const counts = { chunks: 0, silentChunks: 0, droppedMs: 0, shortenedMs: 0 };

	const isLate = () => !canWait && (phase === 'holding' || queue.length > (chunkMs + FRAME_MS) * perMs);

	function takeFrame(): void {
		pauseMs = isQuiet(frame, framed) ? pauseMs + framed / perMs : 0;
		if (pauseMs > KEPT_PAUSE_MS && isLate()) counts.shortenedMs += framed / perMs;
		else {
			const spareSamples = (phase === 'holding' ? keptMs : keptMs + chunkMs) * perMs;
			const tooMany = queue.length + framed - spareSamples;
			if (tooMany > 0) counts.droppedMs += queue.skip(tooMany) / perMs;
			queue.write(frame, 0, framed);
		}
		framed = 0;
	}

	function chunk(samples: number): Int16Array {
		const out = new Int16Array(chunkMs * perMs);
		queue.take(out, 0, samples);
		counts.chunks += 1;
		return out;
	}

	/** Sets when the next chunk is due. Sound kept before the stream flowed is sent in real time. */
	function left(nowMs: number): void {
		sentMs += chunkMs;
		nextMs = options.isHere ? nowMs : Math.max(nextMs, nowMs - (isFresh ? EARLY_MS : owedMs)) + chunkMs;
		isFresh = false;
	}

	/** Whether a chunk may be sent at all, whatever the time. */
	const isFree = () => !options.asHeard || sentMs - heardMs < AS_HEARD.aheadMs;

	const isSocketFull = (unsentMs: number) => options.isHere === true && unsentMs > HERE_AHEAD_MS;

	return {
		get phase(): PacerPhase {
			return phase;
		},
		/** Length of a chunk now, ms. */
		get chunkMs(): number {
			return chunkMs;
		},
		/** Sound waiting to be sent, ms: how late speech is now. */
		get waitingMs(): number {
			return (queue.length + framed) / perMs;
		},
		counts,
		enter(next: PacerPhase, nowMs: number): void {
			if (next === 'closed' || next === 'paused') {
				queue.clear();
				framed = 0;
			}
			if (next === 'flowing' && phase !== 'flowing') {
				nextMs = Math.max(nextMs, nowMs);
				idleFromMs = nowMs;
				isFresh = true;
				sentMs = 0;
				heardMs = 0;
			}
			phase = next;
		},
		push(samples: Int16Array, nowMs: number): void {
			if (phase === 'closed' || phase === 'paused') return;
			if (samples.length > 0) idleFromMs = nowMs;
			for (let at = 0; at < samples.length; ) {
				const count = Math.min(samples.length - at, frame.length - framed);
				frame.set(samples.subarray(at, at + count), framed);
				framed += count;
				at += count;
				if (framed === frame.length) takeFrame();
			}
		},
		/** The chunk to send now, which may be kept; null = none. `unsentMs`: sound that waits in the socket. */
		take(nowMs: number, unsentMs: number = 0): Int16Array | null {
			if (isSocketFull(unsentMs)) return null;
			if (phase !== 'flowing' || !isFree() || (nowMs < nextMs && !options.asHeard)) return null;
			const whole = chunkMs * perMs;
			// A file on this computer may take its time: silence would be heard as a pause within a sentence.
			const isIdle = finishing || flushing || (!options.asHeard && nowMs - idleFromMs >= IDLE_MS);
			if (queue.length < whole && isIdle && framed > 0) takeFrame();
			if (queue.length >= whole) {
				left(nowMs);
				return chunk(whole);
			}
			if (!isIdle || (finishing && queue.length === 0)) return null;
			flushing = false;
			if (queue.length === 0) counts.silentChunks += 1;
			left(nowMs);
			// After silence there is nothing to catch up: the next chunk is due a whole chunk from now.
			nextMs = Math.max(nextMs, nowMs + chunkMs);
			return chunk(queue.length);
		},
		/** When `take` may next return something; null = only after a push, or once less waits in the socket. */
		dueMs(unsentMs: number = 0): number | null {
			if (isSocketFull(unsentMs)) return null;
			if (phase !== 'flowing' || (finishing && queue.length + framed === 0)) return null;
			if (!isFree()) return null;
			if (finishing || flushing || queue.length >= chunkMs * perMs) return nextMs;
			return options.asHeard ? null : Math.max(nextMs, idleFromMs + IDLE_MS);
		},
		/** The service has processed this much of the sent audio, ms from the start of the stream (`AS_HEARD`). */
		heard(ms: number): void {
			heardMs = Math.max(heardMs, ms);
		},
		/** Call when the service complains about the pace (protocol 4.6). */
		warned(code: string, nowMs: number): void {
			if (code === WARNING_CODE.tooFast) {
				chunkMs = Math.max(chunkMs, SOCKET_AUDIO.chunkMs);
				owedMs = EARLY_MS;
				nextMs = Math.max(nextMs, nowMs) + chunkMs;
			} else if (code === WARNING_CODE.tooSlow || code === WARNING_CODE.stalled) {
				// If capture seems to have stopped, silence begins at once instead of after `IDLE_MS`.
				if (nowMs - idleFromMs > 2 * chunkMs) idleFromMs = Math.min(idleFromMs, nowMs - IDLE_MS);
			}
		},
		/** Sends the rest at the usual pace, with the last chunk padded with silence. */
		finish(): void {
			finishing = true;
		},
		/** Sends the waiting sound without filling the last chunk; unlike after `finish`, more may follow. */
		flush(): void {
			flushing = queue.length + framed > 0;
		},
		clear(): void {
			queue.clear();
			framed = 0;
		},
	};
}

/** True for a pause, false for speech. */
export function isQuiet(samples: Int16Array, count: number): boolean {
	let energy = 0;
	for (let index = 0; index < count; index += 1) energy += (samples[index] ?? 0) ** 2;
	return energy < QUIET_POWER * count;
}
