import type { Captions } from '#renderer/captions/caption-view.ts';
import type { VoiceMemory } from '#renderer/replay/voice-memory.ts';
import type { Transport } from '#renderer/transport/transport.ts';
import type { Plan } from '#shared/conversation/machine/events.ts';
import type { Live, State } from '#shared/conversation/machine/state.ts';
import { runOf } from '#shared/conversation/machine.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Problem } from '#shared/problem.ts';
import { matchLanguage } from '#shared/protocol/languages.ts';
import { spokenPart, type VoiceSlice } from '#shared/sound/voice-ring.ts';
import { type LatePiece, type LateSending, type LateSendingParts, sendLate } from './late-sending.ts';
import type { LateVoice } from './late-voice.ts';

/** What was said while a room was away: kept, sent when the line is back, and heard late. */
export interface LateSpeech {
	/** The microphone goes on with this track; null: it is closed. */
	follow(track: MediaStreamTrack | null): void;
	/** The machine made a step. Called after `Absence`, so that what was missed is known in time. */
	observe(before: State, after: State): void;
	/** Nobody heard the last `ms`; now somebody hears again, or nobody ever will. False: it is not kept here. */
	missed(ms: number): boolean;
}

/** What it needs of a conversation. */
export interface LateEnds {
	readonly captions: Pick<Captions, 'lose' | 'receiveLate'>;
	/** Since Start, ms. */
	readonly elapsedMs: () => number;
	/** It could not be sent: called once for each time the connection came back. */
	readonly refused: (problem: Problem) => void;
}

/** How much is kept, ms. */
export const KEPT_MS = 20_000;
/** Anything shorter is neither reported nor sent, as in `Absence`, ms. */
const SHORTEST_MS = 500;
/** Longest time until a loss is noticed: what was said since the server's last sign of life may be lost, too, ms. */
const LONGEST_DOUBT_MS = 5000;
/** Losses this close together count as one, ms. */
const TOGETHER_MS = 100;
/** Wait before retrying a connection that broke while the conversation went on, ms. */
const RETRY_MS = 3000;
const TRIES = 2;

interface Span {
	readonly fromMs: number;
	readonly toMs: number;
}

/** Taken out of the ring. */
interface Kept extends LatePiece {
	readonly tries: number;
}

/** `it` is null while what is sent is still being read. */
interface Sending {
	it: LateSending | null;
	/** The pieces not given up. */
	pieces: readonly Kept[];
}

export function createLateSpeech(
	parts: LateEnds &
		Pick<LateSendingParts, 'openSound'> & {
			readonly clock: Clock;
			readonly log: Logger;
			/** The last `KEPT_MS` of the microphone. */
			readonly memory: VoiceMemory;
			/** A socket beside whatever is in use. */
			readonly createSocket: () => Transport;
			readonly voice: Pick<LateVoice, 'speak' | 'settled' | 'close'>;
		},
): LateSpeech {
	const { clock, log, memory, captions, voice } = parts;
	let track: MediaStreamTrack | null = null;
	/** How long before the current or last outage nothing was known, ms. */
	let doubtMs = 0;
	/** Spans that nobody heard and that are still in the ring. */
	let spans: Span[] = [];
	/** Pieces that a broken connection did not deliver. */
	let waiting: Kept[] = [];
	let sending: Sending | null = null;
	let isMuted = false;
	let plan: Plan | null = null;
	let cancelRetry: Cancel = () => {};
	let count = 0;
	/** Audio read for an older generation is not sent. */
	let generation = 0;

	const onConversation = (ms: number) => parts.elapsedMs() - (clock.now() - ms);

	function lose({ fromMs, toMs }: Span): void {
		if (toMs - fromMs >= SHORTEST_MS) captions.lose(toMs - fromMs, onConversation(toMs));
	}

	function drop(pieces: readonly Kept[]): void {
		for (const piece of pieces) {
			piece.slice.samples.fill(0);
			lose(piece);
		}
	}

	/** Stops sending: mute, a pause, Stop. What was sent may still be heard. */
	function cease(): void {
		generation += 1;
		cancelRetry();
		memory.erase();
		const left = spans;
		spans = [];
		for (const span of left) lose(span);
		drop(waiting.splice(0));
		if (!sending?.it) return;
		sending.it.cease();
		const { pieces, it } = sending;
		sending.pieces = [];
		drop(unheard(pieces, it));
	}

	/** Drops the oldest beyond `roomMs`. */
	function trim(list: readonly Span[], roomMs: number): Span[] {
		let left = roomMs;
		const kept: Span[] = [];
		for (const span of list.toReversed()) {
			const lengthMs = span.toMs - span.fromMs;
			const takes = Math.max(0, Math.min(lengthMs, left));
			left -= takes;
			lose({ fromMs: span.fromMs, toMs: span.toMs - takes });
			if (takes > 0) kept.unshift({ fromMs: span.toMs - takes, toMs: span.toMs });
		}
		return kept;
	}

	async function read(span: Span): Promise<Kept | null> {
		const slice = await memory.read(span.fromMs, span.toMs);
		const lengthMs = slice ? (slice.samples.length / slice.rateHz) * 1000 : 0;
		// The ring may begin later than the span.
		const fromMs = Math.max(span.fromMs, span.toMs - lengthMs);
		const spoken = slice && spokenPart(slice);
		if (!spoken) {
			slice?.samples.fill(0);
			lose(span);
			return null;
		}
		lose({ fromMs: span.fromMs, toMs: fromMs });
		const begunMs = fromMs + spoken.fromMs;
		const toMs = begunMs + (spoken.slice.samples.length / spoken.slice.rateHz) * 1000;
		return { fromMs: begunMs, toMs, slice: spoken.slice, tries: 0 };
	}

	async function send(): Promise<void> {
		if (sending || !plan || (spans.length === 0 && waiting.length === 0)) return;
		const own = generation;
		const task = plan.socketTask;
		const { choices } = plan;
		const mine: Sending = { it: null, pieces: [] };
		sending = mine;
		const roomMs = KEPT_MS - waiting.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
		const asked = trim(spans, roomMs);
		spans = [];
		const found = (await Promise.all(asked.map(read))).filter((piece) => piece !== null);
		if (own !== generation) {
			drop(found);
			sending = null;
			return;
		}
		memory.erase();
		const pieces = [...waiting.splice(0), ...found];
		if (pieces.length === 0) {
			sending = null;
			return;
		}
		log.info('speech of an outage is sent', { pieces: pieces.length });
		count += 1;
		const name = `late${count}-`;
		const it = sendLate(pieces, {
			clock,
			transport: parts.createSocket(),
			task,
			voiceOf: matchLanguage(choices.voiceOf, choices.hear) ?? choices.hear[0] ?? null,
			openSound: parts.openSound,
			voice,
			heard(message, at, zeroMs) {
				const piece = pieces[at];
				if (!piece) return;
				captions.receiveLate(message, parts.elapsedMs(), {
					name: `${name}${at}`,
					zeroMs: onConversation(zeroMs),
					startMs: onConversation(piece.fromMs),
					endMs: onConversation(piece.toMs),
					saidAtMs: clock.wall() - (clock.now() - piece.fromMs),
				});
			},
		});
		Object.assign(mine, { it, pieces });
		const { problem, broken } = await it.outcome;
		voice.close();
		sending = null;
		const rest = unheard(mine.pieces, it);
		const again = broken && own === generation;
		waiting = rest.filter(({ tries }) => again && tries < TRIES);
		drop(rest.filter((piece) => !waiting.includes(piece)));
		if (problem) log.warn('speech of an outage was not sent', { kind: problem.kind, again });
		if (problem && waiting.length === 0 && rest.length > 0) parts.refused(problem);
		cancelRetry();
		cancelRetry = clock.after(waiting.length > 0 ? RETRY_MS : 0, () => void send());
	}

	return {
		follow(next) {
			track = next;
			memory.follow(isMuted ? null : next);
			if (!next) memory.erase();
		},
		observe(before, after) {
			const [was, run] = [runOf(before.stage), runOf(after.stage)];
			const { stage } = after;
			if (before.stage.name === 'live' && stage.name === 'reconnecting')
				doubtMs = Math.min(LONGEST_DOUBT_MS, doubtOf(before.stage, clock.now()));
			if (after.muted !== before.muted) {
				isMuted = after.muted;
				memory.follow(isMuted ? null : track);
				if (after.muted) cease();
			}
			if (was && (!run || (run.paused && !was.paused) || (isOver(after) && !isOver(before)))) cease();
			if (was && !run) sending?.it?.close();
			plan = stage.name === 'live' ? stage.run.plan : null;
			if (plan && before.stage.name !== 'live') void send();
		},
		missed(ms) {
			const toMs = clock.now();
			const span = { fromMs: toMs - ms - doubtMs, toMs };
			doubtMs = 0;
			const last = spans.at(-1);
			if (last && span.fromMs <= last.toMs + TOGETHER_MS)
				spans[spans.length - 1] = { fromMs: Math.min(last.fromMs, span.fromMs), toMs };
			else spans.push(span);
			return true;
		},
	};
}

function unheard(pieces: readonly Kept[], { heardToMs }: LateSending): readonly Kept[] {
	return pieces.flatMap((piece, at) => restOf(piece, heardToMs[at] ?? piece.fromMs));
}

/** The rest of the piece from there on; the part before is overwritten. */
function restOf(piece: Kept, heardToMs: number): readonly Kept[] {
	const { samples, rateHz } = piece.slice;
	const from = Math.round(((heardToMs - piece.fromMs) * rateHz) / 1000);
	samples.fill(0, 0, from);
	if (heardToMs >= piece.toMs) return [];
	const slice: VoiceSlice = { samples: samples.subarray(from), rateHz };
	return [{ ...piece, fromMs: heardToMs, slice, tries: piece.tries + 1 }];
}

function isOver({ stage }: State): boolean {
	return stage.name === 'ending' || stage.name === 'resting';
}

/** For how long the server has given no sign that our speech arrives, ms. */
function doubtOf({ watch, run }: Live, nowMs: number): number {
	if (run.route !== 'webrtc') return 0;
	// Silence from a server that does not report every second means nothing: then the path's own answers say more.
	const heardMs = watch.queueLevels < 2 ? Math.max(watch.heardMs, watch.answeredMs) : watch.heardMs;
	return Math.max(0, nowMs - heardMs);
}
