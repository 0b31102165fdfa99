import { createPrebuffer } from './prebuffer.ts';
import { joinAfter } from './voice-join.ts';
import type { VoicePiece, VoiceQueueCounts } from './voice-piece.ts';

interface Sentence {
	readonly id: string;
	readonly part: string;
	readonly arrivedMs: number;
	/** Since when there is something to play. */
	availableMs: number;
	/** Sorted by sequence; those before `at` are played. */
	readonly pieces: VoicePiece[];
	complete: boolean;
	/** When its last piece came. */
	touchedMs: number;
	/** Samples not yet played. */
	length: number;
	/** All that came of it. */
	total: number;
}

/** Sentences whose pieces are not wanted any more (protocol 9.2). */
const REMEMBERED = 256;
/** A sentence without its end that nothing came of for so long is over. */
const ABANDONED_MS = 2000;
/** Where pieces are short, one is always there beside the one being played, ms. */
const FLOOR_MS = 20;
/** What ran dry once goes on with so much in hand, ms, or it would with every piece that is just in time. */
const LEAD_MS = 2;
/** How late a beginning may be seen, ms. */
const PIECE_MS = 6;
/** Never more than this waits, ms: what the service holds at most, and a burst of a minute (faults 77). */
const MOST_MS = 60_000;

/**
 * The voice of one language on its way to the loudspeaker: bursts of sentences (protocol 5.1.3), each
 * played whole and one after another, in the order in which they began to come. Time comes with each
 * call, in ms. A source for `TimeStretch`: `take` gives what may be played now.
 */
export class VoiceQueue {
	readonly #perMs: number;
	readonly #sentences: Sentence[] = [];
	readonly #dropped = new Set<string>();
	readonly #seen = new Set<number>();
	readonly #prebuffer = createPrebuffer();
	/** Playing, or filling up first. */
	#playing = false;
	/** When the next sample would have been heard had nothing ever been late. */
	#idealMs = 0;
	/** What the sentence being played was made to wait at its beginning. */
	#bufferedMs = 0;
	#limitMs = 20_000;
	#underruns = 0;
	#refused = 0;
	#skipped = 0;
	#trimmed = 0;
	/** The sample given last, and of which piece; null = nothing that the next must join. */
	#given: { readonly sample: number; readonly sequence: number } | null = null;

	constructor(rateHz: number) {
		this.#perMs = rateHz / 1000;
	}

	get counts(): VoiceQueueCounts {
		return {
			underruns: this.#underruns,
			refused: this.#refused,
			skipped: this.#skipped,
			trimmedMs: Math.round(this.#trimmed / this.#perMs),
		};
	}

	get #hasBegun(): boolean {
		const [sentence] = this.#sentences;
		return sentence !== undefined && sentence.length < sentence.total;
	}

	/** Everything that waits, ms. */
	get waitingMs(): number {
		let samples = 0;
		for (const { length } of this.#sentences) samples += length;
		return samples / this.#perMs;
	}

	/** What was not given yet, as pieces that can be pushed elsewhere. */
	get rest(): readonly VoicePiece[] {
		return this.#sentences.flatMap(({ pieces, complete }) =>
			pieces.map((piece, at) => ({ ...piece, last: complete && at === pieces.length - 1 })),
		);
	}

	/** Samples of the sentence that is being played. */
	get length(): number {
		return this.#playing ? (this.#sentences[0]?.length ?? 0) : 0;
	}

	/** The sentence being played is there to its end. */
	get isWhole(): boolean {
		return this.#sentences[0]?.complete ?? true;
	}

	get prebufferMs(): number {
		return this.#prebuffer.targetMs;
	}

	/** Above this the oldest sentence that has not begun is skipped. */
	setLimit(limitMs: number): void {
		this.#limitMs = Math.min(MOST_MS, Math.max(1000, limitMs));
	}

	/**
	 * How late the next sample is because something was late before it, ms; less than 0 = ahead. What the
	 * next pieces need as a reserve is no delay.
	 */
	behindMs(nowMs: number): number {
		if (!this.#playing) return -Infinity;
		return nowMs - this.#idealMs - Math.max(0, this.#prebuffer.targetMs - this.#bufferedMs);
	}

	push(piece: VoicePiece, nowMs: number): void {
		if (this.#dropped.has(piece.transcriptionId) || this.#seen.has(piece.sequence)) {
			this.#refused += 1;
			return;
		}
		this.#remember(piece.sequence);
		const sentence = this.#sentenceOf(piece, nowMs);
		if (!sentence) {
			this.#refused += 1;
			return;
		}
		if (piece.samples.length > 0) {
			this.#prebuffer.arrived(nowMs - sentence.arrivedMs - sentence.total / this.#perMs, nowMs);
			if (sentence.length === 0) sentence.availableMs = nowMs;
			const after = sentence.pieces.findLastIndex(({ sequence }) => sequence < piece.sequence);
			// A copy of the reader's place: it only ever shortens the first piece.
			sentence.pieces.splice(after + 1, 0, piece);
			sentence.length += piece.samples.length;
			sentence.total += piece.samples.length;
		}
		sentence.touchedMs = nowMs;
		sentence.complete ||= piece.last;
		this.#bound();
	}

	/** Lets playing begin or go on when enough is there; to be asked before every `take`. True when a sentence begins. */
	ready(nowMs: number): boolean {
		this.#finish(nowMs);
		if (this.#playing) return false;
		const sentence = this.#sentences[0];
		// One chunk that is there does not wait for another unless they came late before.
		const targetMs = Math.max(FLOOR_MS, this.#prebuffer.targetMs);
		const wanted = Math.max(2 * FLOOR_MS, targetMs) * this.#perMs;
		const since = nowMs - (sentence?.availableMs ?? nowMs);
		if (!sentence || sentence.length === 0) return false;
		const isLean = sentence.length < wanted ? since < targetMs : since < LEAD_MS && this.#hasBegun;
		if (!sentence.complete && isLean) return false;
		this.#playing = true;
		if (this.#hasBegun) return false;
		this.#bufferedMs = Math.min(since, targetMs);
		// Sound is made in pieces: what that costs is no delay.
		const inTimeMs = since <= targetMs + PIECE_MS ? nowMs : sentence.arrivedMs + this.#bufferedMs;
		this.#idealMs = Math.max(this.#idealMs, inTimeMs);
		return true;
	}

	/** Gives up to `count` samples of the sentence being played, -1 to 1, from `from` on. */
	take(out: Float32Array, from: number, count: number): number {
		const sentence = this.#sentences[0];
		if (!sentence || !this.#playing) return 0;
		let done = 0;
		while (done < count) {
			const piece = sentence.pieces[0];
			if (!piece) break;
			const { sequence } = piece;
			const isNext = this.#given !== null && this.#given.sequence !== sequence;
			// A piece between them may never have come (faults 75).
			const samples = isNext ? joinAfter(this.#given?.sample ?? 0, piece.samples) : piece.samples;
			const part = Math.min(count - done, samples.length);
			for (let index = 0; index < part; index += 1) out[from + done + index] = (samples[index] ?? 0) / 32_768;
			done += part;
			this.#given = { sample: samples[part - 1] ?? 0, sequence };
			if (part === samples.length) sentence.pieces.shift();
			else sentence.pieces[0] = { ...piece, samples: samples.subarray(part) };
		}
		sentence.length -= done;
		this.#idealMs += done / this.#perMs;
		return done;
	}

	/** There was silence: what comes next follows on nothing. */
	parted(): void {
		this.#given = null;
	}

	/** Nothing was there in the middle of a sentence: fill up again first. */
	ranDry(): void {
		this.#playing = false;
		this.#underruns += 1;
	}

	/** How much of what comes next is silence, samples, looked for in `most`. */
	silenceAhead(most: number, quiet: number): number {
		const sentence = this.#sentences[0];
		let found = 0;
		for (const { samples } of sentence?.pieces ?? []) {
			for (const sample of samples) {
				if (found >= most || Math.abs(sample) > quiet) return found;
				found += 1;
			}
		}
		return found;
	}

	/** Leaves out silence that was found; it counts as heard. */
	trim(samples: number): void {
		const scratch = new Float32Array(samples);
		this.#trimmed += this.take(scratch, 0, samples);
	}

	/** Drops everything, and whatever still comes of it. */
	flush(): void {
		for (const { id } of this.#sentences) this.drop(id);
		this.#sentences.length = 0;
		this.#playing = false;
		this.#idealMs = 0;
	}

	/** Drops one sentence, and whatever still comes of it. True when it is the one that was being played. */
	drop(id: string): boolean {
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

	#sentenceOf({ transcriptionId: id, partId: part }: VoicePiece, nowMs: number): Sentence | null {
		const known = this.#sentences.find((one) => one.id === id && one.part === part);
		if (known) return known;
		const made: Sentence = {
			id,
			part,
			arrivedMs: nowMs,
			availableMs: nowMs,
			pieces: [],
			complete: false,
			touchedMs: nowMs,
			length: 0,
			total: 0,
		};
		// Parts of one sentence by number, wherever that is still possible (faults 75).
		const later = this.#sentences.findIndex(
			(one, at) => one.id === id && Number(one.part) > Number(part) && (at > 0 || !this.#playing),
		);
		if (later >= 0) this.#sentences.splice(later, 0, made);
		else this.#sentences.push(made);
		return made;
	}

	/** The sentence that was played to its end makes room for the next. */
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
			// The one being heard is let finish: a word is never cut in two.
			const victim = this.#sentences[this.#playing ? 1 : 0];
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
