import type { CaptionChange } from '#shared/captions/assembler.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { matchLanguage } from '#shared/protocol/languages.ts';
import type { QueueLevel } from '#shared/protocol/server-message.ts';

/**
 * The delay gauge: milliseconds from the first spoken word of a phrase to the first audible word of its
 * translation. Its accuracy: `P18` in test/bench/README.md. Pure; times on the conversation's clock.
 *
 * The delay of each phrase is predicted when its translation arrives, as the sum of the time until then, the
 * speech still queued before it, the jitter buffer and our output. Whenever a voice starts after silence, the
 * true delay of that phrase is known and corrects the prediction for what the sum leaves out (synthesis).
 */
export interface DelayGauge {
	/** The last phrases, newest last. */
	readonly phrases: readonly Phrase[];
	/** The service's queue as last reported, and when. */
	readonly queue: { readonly ms: number; readonly atMs: number };
	readonly jitterBufferMs: number;
	/** The difference between the measured delay and the sum of its known parts, ms. */
	readonly correctionMs: number;
	/** Delays of the conversation's latest phrases, across sessions, for the usual delay. */
	readonly spans: readonly number[];
	/** Smoothed; null before the first translation. */
	readonly shownMs: number | null;
}

interface Phrase {
	readonly startMs: number;
	/** Time from the first word to the arrival of the translation. */
	readonly serviceMs: number;
	/** Speech queued before the translation. */
	readonly waitMs: number;
	/** True if the phrase's true delay was measured. */
	readonly measured: boolean;
}

/** Delay that the element and the output device always add: one render quantum and the device's own buffer. */
const OUTPUT_MS = 20;
const REMEMBERED = 3;
/** A phrase that was due longer ago than this belongs to earlier speech. */
const MISSED_MS = 1500;
/** Weight of the newest second in the smoothed delay. */
const SMOOTHING = 0.4;
/** Larger steps are real (a queue dropped by catch-up, a new session) and shown at once. */
const JUMP_MS = 2000;

export const noDelay: DelayGauge = {
	phrases: [],
	queue: { ms: 0, atMs: 0 },
	jitterBufferMs: 0,
	correctionMs: 0,
	spans: [],
	shownMs: null,
};

/** A final translation arrived at `atMs` for a phrase that began at `startMs`. */
export function translated(gauge: DelayGauge, startMs: number, atMs: number): DelayGauge {
	// The queue was reported up to a second ago, and has been playing since then.
	const waitMs = Math.max(0, gauge.queue.ms - (atMs - gauge.queue.atMs));
	const phrase = { startMs, serviceMs: Math.max(0, atMs - startMs), waitMs, measured: false };
	const spans = recentWith(gauge.spans, dueMs(gauge, phrase) - startMs);
	return { ...gauge, phrases: [...gauge.phrases, phrase].slice(-REMEMBERED), spans };
}

/** The voice started after silence: the first phrase that is due is being heard. */
export function voiceBegan(gauge: DelayGauge, atMs: number): DelayGauge {
	const phrase = gauge.phrases.find(
		(candidate) => !candidate.measured && atMs - dueMs(gauge, candidate) < MISSED_MS,
	);
	if (!phrase) return gauge;
	const lackingMs = atMs - dueMs(gauge, phrase);
	return {
		...gauge,
		correctionMs: gauge.correctionMs + lackingMs / 2,
		phrases: gauge.phrases.map((other) => (other === phrase ? { ...other, measured: true } : other)),
	};
}

/** The service reported its queue for the audible language. */
export function queued(gauge: DelayGauge, queueMs: number, atMs: number): DelayGauge {
	return { ...gauge, queue: { ms: queueMs, atMs } };
}

/** The queue was dropped, so no phrase waits any more. */
export function skipped(gauge: DelayGauge): DelayGauge {
	const phrases = gauge.phrases.map((phrase) => ({ ...phrase, waitMs: 0 }));
	return { ...gauge, phrases, queue: { ms: 0, atMs: gauge.queue.atMs } };
}

/** Called once a second: updates the number to show from the last phrases. */
export function second(gauge: DelayGauge, jitterBufferMs: number): DelayGauge {
	// 0 = nothing was played in the last interval, so keep the known value.
	const next = jitterBufferMs > 0 ? { ...gauge, jitterBufferMs } : gauge;
	const delays = next.phrases.map((phrase) => dueMs(next, phrase) - phrase.startMs);
	if (delays.length === 0) return next;
	const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
	const { shownMs } = gauge;
	const jump = shownMs === null || Math.abs(mean - shownMs) > JUMP_MS;
	return { ...next, shownMs: jump ? mean : shownMs + SMOOTHING * (mean - shownMs) };
}

/** Another session has its own times; keep showing the number until new times arrive. */
export function otherSession(gauge: DelayGauge): DelayGauge {
	return { ...noDelay, correctionMs: gauge.correctionMs, spans: gauge.spans, shownMs: gauge.shownMs };
}

/** When the first word of the phrase's translation should be heard. */
function dueMs({ jitterBufferMs, correctionMs }: DelayGauge, { startMs, serviceMs, waitMs }: Phrase): number {
	return startMs + Math.max(0, serviceMs + waitMs + jitterBufferMs + OUTPUT_MS + correctionMs);
}

/** A delay compared with the median of the conversation's own phrases: same service, languages and line. */
export type DelayGrade = 'usual' | 'slow' | 'long';

/** How many of the latest phrases count: the work per phrase stays constant, however long the conversation. */
const REMEMBERED_SPANS = 61;
/** With fewer spans, a single unusual sentence would define the usual delay. */
const ENOUGH_SPANS = 5;
/** Delays below this are never called slow, ms. */
const SLOW_FROM_MS = 4000;
/** From this multiple of the usual delay on, people notice. */
const SLOW_TIMES = 1.5;
/** From this multiple on, people talk over the voice. */
const LONG_TIMES = 2.5;
/** Delays below this are never called long, ms. */
const LONG_FROM_MS = 8000;

/** The latest spans plus one, ms, newest last. */
export function recentWith(spans: readonly number[], spanMs: number): readonly number[] {
	return [...spans, spanMs].slice(-REMEMBERED_SPANS);
}

/** The median of the latest spans, ms; null while there are too few. */
export function usualDelay(spans: readonly number[]): number | null {
	if (spans.length < ENOUGH_SPANS) return null;
	const sorted = spans.slice(-REMEMBERED_SPANS).sort((one, other) => one - other);
	const upper = sorted[sorted.length >> 1] ?? 0;
	const lower = sorted[(sorted.length - 1) >> 1] ?? upper;
	return (lower + upper) / 2;
}

/** The grade of a delay, given the usual delay. */
export function gradeOf(delayMs: number, usualMs: number): DelayGrade {
	if (delayMs <= Math.max(SLOW_FROM_MS, usualMs * SLOW_TIMES)) return 'usual';
	return delayMs <= Math.max(LONG_FROM_MS, usualMs * LONG_TIMES) ? 'slow' : 'long';
}

export type Gauge = ReturnType<typeof createGauge>;

/** Holds the delay gauge of the running conversation and feeds it. */
export function createGauge() {
	let gauge = noDelay;
	let usualMs: number | null = null;
	/** The language whose voice is heard. */
	let heard: string | null = null;

	return {
		caption({ segment }: CaptionChange, row: CaptionRow | undefined, atMs: number): void {
			if (segment.kind !== 'translation' || !segment.final) return;
			if (heard !== null && matchLanguage(segment.language, [heard]) === null) return;
			gauge = translated(gauge, row?.source?.startMs ?? segment.startMs, atMs);
			usualMs = usualDelay(gauge.spans);
		},
		queue(levels: ReadonlyMap<string, QueueLevel>, choices: Choices | null, atMs: number): void {
			heard = choices && matchLanguage(choices.voiceOf, choices.hear);
			if (heard === null) return;
			const key = matchLanguage(heard, [...levels.keys()]);
			gauge = queued(gauge, key === null ? 0 : (levels.get(key)?.currentMs ?? 0), atMs);
		},
		/** A voice starts after silence. */
		voiceBegan(atMs: number): void {
			gauge = voiceBegan(gauge, atMs);
		},
		second(jitterBufferMs: number): void {
			gauge = second(gauge, jitterBufferMs);
		},
		/** The queued voice was dropped. */
		skipped(): void {
			gauge = skipped(gauge);
		},
		otherSession(): void {
			gauge = otherSession(gauge);
		},
		reset(): void {
			gauge = noDelay;
			usualMs = null;
			// Phrases in the next voice's language may arrive before its queue is known.
			heard = null;
		},
		/** Rounded to 10 ms: a finer number would only flicker. */
		shownMs: (): number | null => (gauge.shownMs === null ? null : Math.round(gauge.shownMs / 10) * 10),
		/** The usual delay in this conversation, rounded to 100 ms; null until there are enough phrases. */
		usualMs: (): number | null => (usualMs === null ? null : Math.round(usualMs / 100) * 100),
	};
}
