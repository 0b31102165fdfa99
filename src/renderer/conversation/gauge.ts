import type { CaptionChange } from '#shared/captions/assembler.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { matchLanguage } from '#shared/protocol/languages.ts';
import type { QueueLevel } from '#shared/protocol/server-message.ts';
import * as delay from './delay.ts';
import { usualDelay } from './delay.ts';

/** Holds the delay gauge of the running conversation and feeds it. */
export interface Gauge {
	caption(change: CaptionChange, row: CaptionRow | undefined, atMs: number): void;
	queue(levels: ReadonlyMap<string, QueueLevel>, choices: Choices | null, atMs: number): void;
	/** A voice sets in after silence. */
	voiceBegan(atMs: number): void;
	second(jitterBufferMs: number): void;
	/** What was queued will not be heard. */
	skipped(): void;
	otherSession(): void;
	reset(): void;
	/** Rounded to 10 ms: more would only flicker. */
	shownMs(): number | null;
	/** What is usual in this conversation, rounded to 100 ms; null until there are enough phrases to tell. */
	usualMs(): number | null;
}

export function createGauge(): Gauge {
	let gauge = delay.noDelay;
	let usualMs: number | null = null;
	/** The language whose voice is heard. */
	let heard: string | null = null;

	return {
		caption({ segment }, row, atMs) {
			if (segment.kind !== 'translation' || !segment.final) return;
			if (heard !== null && matchLanguage(segment.language, [heard]) === null) return;
			gauge = delay.translated(gauge, row?.source?.startMs ?? segment.startMs, atMs);
			usualMs = usualDelay(gauge.spans);
		},
		queue(levels, choices, atMs) {
			heard = choices && matchLanguage(choices.voiceOf, choices.hear);
			if (heard === null) return;
			const key = matchLanguage(heard, [...levels.keys()]);
			gauge = delay.queued(gauge, key === null ? 0 : (levels.get(key)?.currentMs ?? 0), atMs);
		},
		voiceBegan(atMs) {
			gauge = delay.voiceBegan(gauge, atMs);
		},
		second(jitterBufferMs) {
			gauge = delay.second(gauge, jitterBufferMs);
		},
		skipped() {
			gauge = delay.skipped(gauge);
		},
		otherSession() {
			gauge = delay.otherSession(gauge);
		},
		reset() {
			gauge = delay.noDelay;
			usualMs = null;
			// Phrases in the next one's language may come before a queue tells which one it is.
			heard = null;
		},
		shownMs: () => (gauge.shownMs === null ? null : Math.round(gauge.shownMs / 10) * 10),
		usualMs: () => (usualMs === null ? null : Math.round(usualMs / 100) * 100),
	};
}
