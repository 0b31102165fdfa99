import { Concealment } from './concealment.ts';
import { createResampler, type Resampler } from './resampler.ts';
import { TEMPO, TimeStretch } from './time-stretch.ts';
import { type VoicePiece, VoiceQueue, type VoiceQueueCounts, type VoiceRest } from './voice-queue.ts';

const RATE_HZ = 24_000;
/** Sound is generated in blocks of this length, ms. */
const BLOCK_MS = 2.5;
const BLOCK = (RATE_HZ * BLOCK_MS) / 1000;
/** Every beginning and end within a sentence is faded over this length to avoid clicks. */
const FADE = RATE_HZ * 0.0025;
/** A smaller lag is not reduced, ms … */
const TOLERATED_MS = 12;
/** … but once started, catching up continues until this lag: each step of the time-stretch is about 10 ms. */
const ENOUGH_MS = 5;
/** At this lag the tempo is highest. */
const FAR_MS = 120;
const SLOWEST = 1.04;
/** Cross-fade from the concealment to the sound after a gap. */
const JOIN = RATE_HZ * 0.005;
/**
 * Concealment lasts this much longer than necessary: otherwise the buffer would run out again each time a piece
 * arrives just in time.
 */
const LEAD = RATE_HZ * 0.001;
/** Below this gain a held sound is perceived as a gap, 1 = original loudness. */
const HEARD_BELOW = 0.5;
/** Speech queued behind the current sentence raises its tempo from this length, ms … */
const QUEUE_FROM_MS = 2000;
/** … and up to the maximum at this length. */
const QUEUE_FULL_MS = 6000;
/** Amplitude 50 dB below full scale. */
const QUIET = 100;
/** Silences are shortened to this length while the voice is behind, ms. */
const KEPT_SILENCE_MS = 80;

export interface VoiceState extends VoiceQueueCounts {
	readonly waitingMs: number;
	readonly behindMs: number;
	readonly tempo: number;
	readonly prebufferMs: number;
	readonly audible: boolean;
}

/**
 * Turns pieces of sentences into samples of one voice at the loudspeaker's rate. Pure: time comes with each
 * call. The sound never jumps: beginnings and ends are faded, lag is reduced by time-stretch (at most
 * `TEMPO.max`) and by skipping silence, and a short delay is covered by holding the previous sound
 * (`Concealment`). Reading allocates nothing.
 */
export class VoiceStream {
	readonly #queue = new VoiceQueue(RATE_HZ);
	readonly #stretch = new TimeStretch(RATE_HZ);
	readonly #concealment = new Concealment(RATE_HZ);
	readonly #resampler: Resampler;
	readonly #block = new Float32Array(BLOCK);
	/** Samples at the output's rate, not returned yet. */
	readonly #ready: Float32Array;
	#readyLength = 0;
	#given = 0;
	/** Samples generated already, to be played before any other. */
	readonly #ahead: Float32Array;
	#aheadFrom = 0;
	#aheadTo = 0;
	readonly #joined = new Float32Array(JOIN);
	/** A piece is late, and the previous sound is held. */
	#isHiding = false;
	/** The sound ends with the current block. */
	#stops = false;
	#tempo = 1;
	/** The lag is large enough to be reduced. */
	#isLate = false;
	#sounding = false;
	#silenceMs = 0;
	/** The last sample generated. */
	#last = 0;
	/** The sound that should follow `#last` was dropped. */
	#cut = false;
	/** Samples kept so that an end can be faded: played only once more sound has arrived. */
	readonly #reserve: { length: number; take(out: Float32Array, from: number, count: number): number };

	constructor(outputHz: number) {
		this.#resampler = createResampler(RATE_HZ, outputHz);
		this.#ready = new Float32Array(this.#resampler.most(BLOCK));
		this.#ahead = new Float32Array(LEAD + this.#concealment.longestPeriod + JOIN);
		const queue = this.#queue;
		this.#reserve = {
			get length() {
				return Math.max(0, queue.length - FADE);
			},
			take(out, from, count) {
				return queue.take(out, from, Math.min(count, this.length));
			},
		};
	}

	push(piece: VoicePiece, nowMs: number): void {
		this.#queue.push(piece, nowMs);
	}

	/** The state for the voice that continues elsewhere. */
	get rest(): VoiceRest {
		return this.#queue.rest([...this.#ahead.subarray(this.#aheadFrom, this.#aheadTo), ...this.#stretch.rest]);
	}

	/** Continues where another voice ended. */
	goOn(rest: VoiceRest, nowMs: number): void {
		this.#queue.goOn(rest, nowMs);
	}

	setLimit(limitMs: number): void {
		this.#queue.setLimit(limitMs);
	}

	/** Becomes silent within 5 ms, drops everything waiting, and ignores pieces of it that arrive later. */
	flush(): void {
		this.#queue.flush();
		this.#forget();
	}

	/** Like `flush`, for one sentence; the others continue. */
	drop(transcriptionId: string): void {
		const isHeard = this.#queue.drop(transcriptionId);
		if (isHeard) this.#forget();
	}

	#forget(): void {
		this.#stretch.clear();
		this.#aheadFrom = this.#aheadTo;
		this.#isHiding = false;
		this.#queue.parted();
		this.#cut = true;
	}

	state(nowMs: number): VoiceState {
		return {
			...this.#queue.counts,
			waitingMs: this.#queue.waitingMs + this.#heldMs,
			behindMs: Math.max(0, this.#behindMs(nowMs)),
			tempo: this.#tempo,
			prebufferMs: this.#queue.prebufferMs,
			audible: this.#sounding,
		};
	}

	get isAudible(): boolean {
		return this.#sounding;
	}

	/** Fills `out`. */
	read(out: Float32Array, nowMs: number): void {
		let filled = 0;
		while (filled < out.length) {
			if (this.#given >= this.#readyLength) {
				this.#make(nowMs);
				this.#readyLength = this.#resampler.pushInto(this.#block, this.#ready);
				this.#given = 0;
				// The resampler's filter must fill up first.
				if (this.#readyLength === 0) continue;
			}
			const count = Math.min(this.#readyLength - this.#given, out.length - filled);
			for (let index = 0; index < count; index += 1)
				out[filled + index] = this.#ready[this.#given + index] ?? 0;
			this.#given += count;
			filled += count;
		}
	}

	/** Generates the next block at 24 kHz. */
	#make(nowMs: number): void {
		const block = this.#block;
		this.#queue.ready(nowMs);
		this.#trimSilence(nowMs);
		this.#tempo = this.#tempoFor(nowMs);
		const before = this.#sounding;
		let made = this.#giveAhead(0);
		if (this.#isHiding && made < BLOCK) made = this.#hide(made);
		if (!this.#isHiding && made < BLOCK) made = this.#pull(made);
		this.#sounding = made === BLOCK && !this.#stops;
		this.#stops = false;
		if (!before && made > 0) fade(block, 0, Math.min(FADE, made), 1);
		if (before && this.#cut && made > 0) blend(this.#last, block, Math.min(FADE, made));
		this.#cut = false;
		if (!this.#sounding) this.#queue.parted();
		this.#last = block[BLOCK - 1] ?? 0;
		this.#silenceMs = isQuiet(block) ? this.#silenceMs + BLOCK_MS : 0;
		this.#concealment.heard(block);
	}

	/** Fills the block from `from` on; returns how much of it is filled, like the methods below. */
	#giveAhead(from: number): number {
		const count = Math.min(BLOCK - from, this.#aheadTo - this.#aheadFrom);
		for (let index = 0; index < count; index += 1)
			this.#block[from + index] = this.#ahead[this.#aheadFrom + index] ?? 0;
		this.#aheadFrom += count;
		return from + count;
	}

	#pull(from: number): number {
		const queue = this.#queue;
		const made = from + this.#stretch.pull(this.#reserve, this.#block, this.#tempo, from);
		if (made === BLOCK) return made;
		if (this.#sounding && queue.isPlaying && !queue.isWhole) return this.#beginHiding(made);
		this.#end(made);
		return made;
	}

	/** Fewer samples than requested: the sentence is over, was dropped, or has hardly begun. */
	#end(made: number): void {
		const block = this.#block;
		const queue = this.#queue;
		let count = made;
		if (queue.length > 0) {
			// Plays the reserve as far as the block has room; the rest is skipped.
			if (this.#sounding) count += queue.take(block, made, Math.min(queue.length, BLOCK - made));
			const { isWhole } = queue;
			queue.trim(queue.length);
			if (!isWhole) queue.ranDry();
		}
		if (count > 0) this.#fadeOut(count);
		else if (this.#sounding) {
			// Dropped in the middle of a word: the last sample decays.
			const last = this.#last;
			for (let index = 0; index < FADE; index += 1) block[index] = last * (1 - index / FADE);
		}
	}

	#fadeOut(count: number): void {
		const length = Math.min(FADE, count);
		fade(this.#block, count - length, count, -1);
	}

	/** The next piece is late. The samples of the reserve fade into the concealment. */
	#beginHiding(made: number): number {
		const queue = this.#queue;
		const count = queue.take(this.#ahead, 0, Math.min(FADE, queue.length));
		this.#concealment.begin(this.#block, made, this.#ahead, count);
		this.#aheadFrom = 0;
		this.#aheadTo = count;
		this.#isHiding = true;
		const filled = this.#giveAhead(made);
		return filled < BLOCK ? this.#hide(filled) : filled;
	}

	/** Holds the last sound until the late one has arrived, or until the held sound is inaudible. */
	#hide(from: number): number {
		const queue = this.#queue;
		if (this.#rejoin()) return this.#giveAhead(from);
		this.#concealment.make(this.#block, from, BLOCK - from);
		const isOver = queue.length === 0 && queue.isWhole;
		if (!isOver && this.#concealment.level < HEARD_BELOW) queue.ranDry();
		if (isOver || this.#concealment.level === 0) {
			this.#fadeOut(BLOCK);
			this.#isHiding = false;
			this.#stops = true;
		}
		return BLOCK;
	}

	/**
	 * Cross-fades from the held sound to the late one where it fits. False if the late one has not arrived yet.
	 */
	#rejoin(): boolean {
		const queue = this.#queue;
		if (queue.length === 0 || (queue.length < JOIN + FADE && !queue.isWhole)) return false;
		if (this.#concealment.level >= HEARD_BELOW) queue.hid();
		const count = queue.take(this.#joined, 0, JOIN);
		const held = this.#concealment.fitting(this.#joined, count, LEAD);
		this.#concealment.make(this.#ahead, 0, held + count);
		for (let index = 0; index < count; index += 1) {
			const share = (index + 0.5) / count;
			const made = this.#ahead[held + index] ?? 0;
			this.#ahead[held + index] = made + share * ((this.#joined[index] ?? 0) - made);
		}
		this.#aheadFrom = 0;
		this.#aheadTo = held + count;
		this.#isHiding = false;
		return true;
	}

	#trimSilence(nowMs: number): void {
		if (this.#silenceMs < KEPT_SILENCE_MS || this.#behindMs(nowMs) < TOLERATED_MS) return;
		const most = Math.min(RATE_HZ / 5, Math.round((this.#behindMs(nowMs) * RATE_HZ) / 1000));
		const silent = this.#queue.silenceAhead(most + FADE, QUIET) - FADE;
		if (silent > 0) this.#queue.trim(silent);
	}

	/** Sound taken from the queue but not played yet, ms. */
	get #heldMs(): number {
		return (this.#stretch.held + this.#aheadTo - this.#aheadFrom) / (RATE_HZ / 1000);
	}

	/** Adds sound taken from the queue but not yet played to the queue's own lag. */
	#behindMs(nowMs: number): number {
		return this.#queue.behindMs(nowMs) + this.#heldMs;
	}

	#tempoFor(nowMs: number): number {
		const behind = this.#behindMs(nowMs);
		const waiting = this.#queue.waitingMs - this.#queue.length / (RATE_HZ / 1000);
		if (behind > TOLERATED_MS) this.#isLate = true;
		if (behind <= ENOUGH_MS) this.#isLate = false;
		const byDelay = this.#isLate ? ramp(behind, 0, FAR_MS, SLOWEST) : 1;
		const byQueue = waiting <= QUEUE_FROM_MS ? 1 : ramp(waiting, QUEUE_FROM_MS, QUEUE_FULL_MS, 1);
		return Math.max(byDelay, byQueue);
	}
}

function ramp(value: number, from: number, to: number, lowest: number): number {
	const share = Math.min(1, Math.max(0, (value - from) / (to - from)));
	return lowest + share * (TEMPO.max - lowest);
}

function fade(block: Float32Array, from: number, to: number, direction: 1 | -1): void {
	const length = to - from;
	for (let index = 0; index < length; index += 1) {
		const share = (index + 0.5) / length;
		block[from + index] = (block[from + index] ?? 0) * (direction === 1 ? share : 1 - share);
	}
}

/** Blends from one sample into the beginning of a block. */
function blend(from: number, block: Float32Array, length: number): void {
	for (let index = 0; index < length; index += 1) {
		const share = (index + 0.5) / length;
		block[index] = from + share * ((block[index] ?? 0) - from);
	}
}

function isQuiet(block: Float32Array): boolean {
	for (const sample of block) if (Math.abs(sample) > QUIET / 32_768) return false;
	return true;
}
