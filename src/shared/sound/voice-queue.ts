import { floatToS16 } from './pcm.ts';

/** Length over which a jump is spread: 5 ms at 24 kHz. */
const SPREAD = 120;

/** A jump of 0.5 % of full scale is never audible as a click. */
const LEAST = 164;

interface Sentence {
	readonly id: string;
	readonly part: string;
	/** An empty piece that marks the sentence's position when no other piece is left. */
	readonly mark: VoicePiece;
	readonly arrivedMs: number;
	/** Since when the sentence has sound to play. */
	availableMs: number;
	/** Sorted by sequence. */
	readonly pieces: VoicePiece[];
	/** Number of samples of the first piece that have been played. */
	played: number;
	complete: boolean;
	/** When its last piece arrived. */
	touchedMs: number;
	/** Number of samples not yet played. */
	length: number;
	/** Number of samples received in total. */
	total: number;
}

/** How many unwanted sentences are remembered, so that their pieces are ignored (protocol 9.2). */
const REMEMBERED = 256;
/** An unfinished sentence counts as over after this long without a new piece. */
const ABANDONED_MS = 2000;
/** If pieces are shorter, playback starts only with this much buffered, ms: less is quickly used up. */
const LEAST_MS = 20;
/** Maximum waiting sound, ms: the service's own maximum, and a burst of a minute (faults 77). */
const MOST_MS = 60_000;

/**
 * The queue of one language's voice before the loudspeaker: bursts of sentences (protocol 5.1.3), each played
 * whole and one after another, in the order in which they began to arrive. Time comes with each call, in ms. A
 * source for `TimeStretch`: `take` returns the sound that may be played now.
 */
export class VoiceQueue {
	readonly #perMs: number;
	readonly #sentences: Sentence[] = [];
	readonly #dropped = new Set<string>();
	readonly #seen = new Set<number>();
	readonly #prebuffer = createPrebuffer();
	/** Whether sound is playing; false while the buffer fills up first. */
	#playing = false;
	/** The most recently begun sentence. */
	#begun: string | null = null;
	/** When the next sample would be played if nothing were buffered and no piece ever late. */
	#idealMs = 0;
	#limitMs = 20_000;
	#underruns = 0;
	#hidden = 0;
	#refused = 0;
	#skipped = 0;
	#trimmed = 0;
	/** The last sample returned … */
	#given = 0;
	/** … and its piece; null = the next sound need not join it. */
	#givenOf: VoicePiece | null = null;
	/** Receives skipped samples. */
	readonly #scratch = new Float32Array(256);

	constructor(rateHz: number) {
		this.#perMs = rateHz / 1000;
	}

	get counts(): VoiceQueueCounts {
		return {
			underruns: this.#underruns,
			hidden: this.#hidden,
			refused: this.#refused,
			skipped: this.#skipped,
			trimmedMs: Math.round(this.#trimmed / this.#perMs),
		};
	}

	/** Total length of waiting sound, ms. */
	get waitingMs(): number {
		let samples = 0;
		for (const { length } of this.#sentences) samples += length;
		return samples / this.#perMs;
	}

	/**
	 * The state for the queue that continues elsewhere. `held`: the end of the sound already taken, -1 to 1, not
	 * played yet; it precedes the rest of its sentence.
	 */
	rest(held: ArrayLike<number>): VoiceRest {
		return { pieces: this.#left(held), dropped: [...this.#dropped], begun: this.#begun };
	}

	/** Continues where another queue ended. */
	goOn({ pieces, dropped, begun }: VoiceRest, nowMs: number): void {
		this.#begun = begun;
		for (const id of dropped) this.drop(id);
		for (const piece of pieces) this.push(piece, nowMs);
	}

	#left(held: ArrayLike<number>): readonly VoicePiece[] {
		const left = this.#sentences.flatMap(({ pieces, played, complete, mark }) =>
			// All received sound has been played, but more is expected before the next sentence.
			pieces.length === 0 && !complete
				? [mark]
				: pieces.map((piece, at) => ({
						...piece,
						samples: at === 0 ? piece.samples.subarray(played) : piece.samples,
						last: complete && at === pieces.length - 1,
					})),
		);
		const of = this.#givenOf;
		if (!of || held.length === 0) return left;
		const [next] = left;
		const goesOn = next?.transcriptionId === of.transcriptionId && next.partId === of.partId;
		// Its sentence is over: the held sound becomes a separate chunk.
		const ended = { ...of, samples: new Int16Array(0), last: true };
		const first = (goesOn && left.shift()) || ended;
		const samples = new Int16Array(held.length + first.samples.length);
		floatToS16(held, samples);
		samples.set(first.samples, held.length);
		return [{ ...first, samples }, ...left];
	}

	/** Number of waiting samples of the sentence being played. */
	get length(): number {
		return this.#playing ? (this.#sentences[0]?.length ?? 0) : 0;
	}

	/** Whether a sentence is being played, even if none of it is buffered now. */
	get isPlaying(): boolean {
		return this.#playing;
	}

	/** Whether the sentence being played has arrived completely. */
	get isWhole(): boolean {
		return this.#sentences[0]?.complete ?? true;
	}

	get prebufferMs(): number {
		return this.#prebuffer.targetMs;
	}

	/** Above this length of waiting sound, the oldest sentence that has not begun is skipped. */
	setLimit(limitMs: number): void {
		this.#limitMs = Math.min(MOST_MS, Math.max(1000, limitMs));
	}

	/** How late the next sample is, ms, beyond the buffer kept for late pieces. Below 0 = less is buffered. */
	behindMs(nowMs: number): number {
		if (!this.#playing) return -Infinity;
		return nowMs - this.#idealMs - this.#prebuffer.targetMs;
	}

	push(piece: VoicePiece, nowMs: number): void {
		if (this.#dropped.has(piece.transcriptionId) || this.#seen.has(piece.sequence)) {
			this.#refused += 1;
			return;
		}
		this.#remember(piece.sequence);
		const sentence = this.#sentenceOf(piece, nowMs);
		if (piece.samples.length > 0) {
			this.#prebuffer.arrived(nowMs - sentence.arrivedMs - sentence.total / this.#perMs, nowMs);
			if (sentence.length === 0) sentence.availableMs = nowMs;
			const after = sentence.pieces.findLastIndex(({ sequence }) => sequence < piece.sequence);
			if (after < 0) leaveOutPlayed(sentence);
			sentence.pieces.splice(after + 1, 0, piece);
			sentence.length += piece.samples.length;
			sentence.total += piece.samples.length;
		}
		sentence.touchedMs = nowMs;
		sentence.complete ||= piece.last;
		this.#bound();
	}

	/** Starts or resumes playback when enough is queued; call before every `take`. True when a sentence begins. */
	ready(nowMs: number): boolean {
		this.#finish(nowMs);
		if (this.#playing) return false;
		const sentence = this.#sentences[0];
		if (!sentence || sentence.length === 0) return false;
		// A chunk waits for the next only if chunks were late before.
		const targetMs = this.#prebuffer.targetMs;
		const wanted = Math.max(LEAST_MS, targetMs) * this.#perMs;
		const since = nowMs - sentence.availableMs;
		if (!sentence.complete && sentence.length < wanted && since < Math.max(LEAST_MS, targetMs)) return false;
		this.#playing = true;
		this.#begun = sentence.id;
		if (sentence.length < sentence.total) return false;
		this.#idealMs = Math.max(this.#idealMs, sentence.arrivedMs);
		return true;
	}

	/** Returns up to `count` samples of the sentence being played, -1 to 1, written from `from` on. */
	take(out: Float32Array, from: number, count: number): number {
		const sentence = this.#sentences[0];
		if (!sentence || !this.#playing) return 0;
		let done = 0;
		while (done < count) {
			const piece = this.#next(sentence);
			if (!piece) break;
			const { samples } = piece;
			const part = Math.min(count - done, samples.length - sentence.played);
			for (let index = 0; index < part; index += 1)
				out[from + done + index] = (samples[sentence.played + index] ?? 0) / 32_768;
			done += part;
			sentence.played += part;
			this.#given = samples[sentence.played - 1] ?? 0;
			if (sentence.played < samples.length) continue;
			sentence.pieces.shift();
			sentence.played = 0;
		}
		sentence.length -= done;
		this.#idealMs += done / this.#perMs;
		return done;
	}

	/** The piece to read from. A piece between it and the previous one may never have arrived (faults 75). */
	#next(sentence: Sentence): VoicePiece | undefined {
		const [piece] = sentence.pieces;
		if (!piece || piece.sequence === this.#givenOf?.sequence) return piece;
		const samples = this.#givenOf === null ? piece.samples : joinAfter(this.#given, piece.samples);
		this.#givenOf = piece;
		if (samples === piece.samples) return piece;
		const joined = { ...piece, samples };
		sentence.pieces[0] = joined;
		return joined;
	}

	/** Silence was played, so the next sound need not join the last. */
	parted(): void {
		this.#givenOf = null;
	}

	/** The buffer ran out within a sentence: fill it again first. */
	ranDry(): void {
		if (!this.#playing) return;
		this.#playing = false;
		this.#underruns += 1;
	}

	/** Like `ranDry`, but the gap was inaudible, and playback continues with the next piece. */
	hid(): void {
		this.#hidden += 1;
	}

	/** How many of the next `most` samples are silence. */
	silenceAhead(most: number, quiet: number): number {
		const sentence = this.#sentences[0];
		let found = 0;
		if (!sentence) return 0;
		for (let at = 0; at < sentence.pieces.length; at += 1) {
			const samples = sentence.pieces[at]?.samples;
			if (!samples) break;
			for (let index = at === 0 ? sentence.played : 0; index < samples.length; index += 1) {
				if (found >= most || Math.abs(samples[index] ?? 0) > quiet) return found;
				found += 1;
			}
		}
		return found;
	}

	/** Skips silence that was found; it counts as played. */
	trim(samples: number): void {
		for (let left = samples; left > 0; left -= this.#scratch.length)
			this.#trimmed += this.take(this.#scratch, 0, Math.min(left, this.#scratch.length));
	}

	/** Drops everything, and ignores chunks that arrive later. */
	flush(): void {
		// Always the first sentence, because each drop removes its sentence from the list.
		for (let first = this.#sentences[0]; first; first = this.#sentences[0]) this.drop(first.id);
		this.#idealMs = 0;
	}

	/** Drops one sentence, and ignores its chunks that arrive later. True if it was being played. */
	drop(id: string): boolean {
		// Deleting and adding it again makes it the newest.
		this.#dropped.delete(id);
		this.#dropped.add(id);
		const [oldest] = this.#dropped;
		if (this.#dropped.size > REMEMBERED && oldest !== undefined) this.#dropped.delete(oldest);
		const first = this.#sentences[0];
		const isHeard = first?.id === id && this.#playing;
		if (isHeard) this.#playing = false;
		for (let at = this.#sentences.length - 1; at >= 0; at -= 1)
			if (this.#sentences[at]?.id === id) this.#sentences.splice(at, 1);
		return isHeard;
	}

	#sentenceOf(piece: VoicePiece, nowMs: number): Sentence {
		const { transcriptionId: id, partId: part } = piece;
		const known = this.#sentences.find((one) => one.id === id && one.part === part);
		if (known) return known;
		const made: Sentence = {
			id,
			part,
			mark: { ...piece, last: false, samples: new Int16Array(0) },
			arrivedMs: nowMs,
			availableMs: nowMs,
			pieces: [],
			played: 0,
			complete: false,
			touchedMs: nowMs,
			length: 0,
			total: 0,
		};
		// Orders the parts of one sentence by number, wherever that is still possible (faults 75).
		const later = this.#sentences.findIndex(
			(one, at) => one.id === id && Number(one.part) > Number(part) && (at > 0 || !this.#playing),
		);
		if (later >= 0) this.#sentences.splice(later, 0, made);
		else this.#sentences.push(made);
		return made;
	}

	/** Removes the sentence that was played to its end, so that the next can begin. */
	#finish(nowMs: number): void {
		for (;;) {
			const sentence = this.#sentences[0];
			if (!sentence || sentence.length > 0) return;
			const abandoned = nowMs - sentence.touchedMs >= ABANDONED_MS;
			if (!sentence.complete && !abandoned) return;
			this.#sentences.shift();
			this.#playing = false;
		}
	}

	#bound(): void {
		while (this.waitingMs > this.#limitMs && this.#sentences.length > 1) {
			// Let a sentence that has begun finish, even while it waits for more sound,
			// so that no word is cut in two.
			const victim = this.#sentences.find(({ id }) => id !== this.#begun);
			if (!victim) return;
			this.#skipped += 1;
			this.drop(victim.id);
		}
	}

	#remember(sequence: number): void {
		this.#seen.add(sequence);
		const [oldest] = this.#seen;
		if (this.#seen.size > REMEMBERED * 4 && oldest !== undefined) this.#seen.delete(oldest);
	}
}

/** Trims the first piece to its unplayed samples, so that another piece can be inserted before it. */
function leaveOutPlayed(sentence: Sentence): void {
	const [piece] = sentence.pieces;
	if (piece && sentence.played > 0)
		sentence.pieces[0] = { ...piece, samples: piece.samples.subarray(sentence.played) };
	sentence.played = 0;
}

/**
 * Makes a piece follow `last`, the preceding sample, without a click: a jump is spread over 5 ms. A piece
 * without a jump is returned unchanged. Samples are 16 bit.
 */
export function joinAfter(last: number, samples: Int16Array): Int16Array {
	const jump = last - (samples[0] ?? last);
	if (Math.abs(jump) <= LEAST + 2 * steepest(samples)) return samples;
	const joined = samples.slice();
	const length = Math.min(SPREAD, joined.length);
	for (let index = 0; index < length; index += 1) {
		const share = (index + 0.5) / SPREAD;
		joined[index] = Math.round(last + share * ((samples[index] ?? 0) - last));
	}
	return joined;
}

/** The largest step within the samples to change: the sound itself already moves that much. */
function steepest(samples: Int16Array): number {
	let step = 0;
	for (let index = 1; index < Math.min(SPREAD, samples.length); index += 1)
		step = Math.max(step, Math.abs((samples[index] ?? 0) - (samples[index - 1] ?? 0)));
	return step;
}

/** A piece of one sentence, 24 kHz mono, as received from the socket. */
export interface VoicePiece {
	readonly transcriptionId: string;
	readonly partId: string;
	/** Grows with every piece; a repeated number is not played again. */
	readonly sequence: number;
	readonly last: boolean;
	readonly samples: Int16Array;
}

/** The state that an ending voice hands over to its successor. */
export interface VoiceRest {
	/** Not played yet. */
	readonly pieces: readonly VoicePiece[];
	/** Ids of dropped sentences: pieces that arrive later are ignored. */
	readonly dropped: readonly string[];
	/** The most recently begun sentence. */
	readonly begun: string | null;
}

export interface VoiceQueueCounts {
	/** How often the voice stopped, or fell below half loudness, within a sentence because the buffer was empty. */
	readonly underruns: number;
	/** How often a late piece went unnoticed, because the previous sound was held. */
	readonly hidden: number;
	/** Number of pieces that arrived twice, or after their sentence was over. */
	readonly refused: number;
	/** Number of sentences skipped because too much sound was waiting. */
	readonly skipped: number;
	/** Total length cut out of silences, ms. */
	readonly trimmedMs: number;
}

const STEP_MS = 2;
const LATEST_MS = 400;
const STEPS = LATEST_MS / STEP_MS;
/** Sound is fetched in quanta of 2.7 ms: a piece less late than that counts as in time. */
const QUANTUM_MS = 4;
/** Only the latest piece of each interval counts: one stall is one event, however many pieces it delayed. */
const INTERVAL_MS = 500;
/** The buffer covers the lateness of this share of the pieces; later ones are concealed (`Concealment`). */
const QUANTILE = 0.92;
/** Weight that an interval keeps after each further one: half of it is lost in twenty seconds. */
const KEPT = 0.983;
/** The histogram starts as if this many intervals were in time, so that one late piece has little effect. */
const QUIET_INTERVALS = 10;

/**
 * How much to buffer for a voice without gaps, learned from the lateness of its pieces.
 * A quantile of the lateness of pieces from a decaying histogram, as in WebRTC's NetEq (`UnderrunOptimizer`).
 * Allocates nothing after construction.
 */
export function createPrebuffer() {
	/** Weight of the intervals by the lateness of their latest piece, in steps, rounded up. */
	const weights = new Float64Array(STEPS + 1);
	weights[0] = QUIET_INTERVALS;
	let total = QUIET_INTERVALS;
	let targetMs = 0;
	let worstMs = 0;
	let endsMs = Number.NaN;

	function remember(): void {
		const late = Math.max(0, worstMs - QUANTUM_MS);
		const step = Math.min(STEPS, Math.ceil(late / STEP_MS));
		for (let at = 0; at <= STEPS; at += 1) weights[at] = (weights[at] ?? 0) * KEPT;
		weights[step] = (weights[step] ?? 0) + 1;
		total = total * KEPT + 1;
		let later = 0;
		let at = STEPS;
		for (; at > 0; at -= 1) {
			later += weights[at] ?? 0;
			if (later > total * (1 - QUANTILE)) break;
		}
		targetMs = at * STEP_MS;
	}

	return {
		/** 0 to 400 ms, in steps of 2. */
		get targetMs(): number {
			return targetMs;
		},
		/** Records how much later than due a piece arrived with an empty buffer; below 0 = in time. */
		arrived(lateMs: number, nowMs: number): void {
			if (nowMs >= endsMs) remember();
			// The first piece after an interval begins the next: a burst after a stall is never split.
			if (!(nowMs < endsMs)) {
				endsMs = nowMs + INTERVAL_MS;
				worstMs = 0;
			}
			worstMs = Math.max(worstMs, lateMs);
		},
	};
}
