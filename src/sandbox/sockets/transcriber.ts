import { heardSoFar, misheard } from '#sandbox/interpreter/growing-text.ts';
import { createListening, type Segment } from '#sandbox/interpreter/listening.ts';
import { createPhrasePicker } from '#sandbox/interpreter/phrase-picker.ts';
import { draw, TIMING } from '#sandbox/interpreter/timing.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import { STT_MESSAGE } from '#shared/protocol/speech-to-text.ts';

/** Silence that ends a sentence here, ms: with `FINAL`, a final comes about a second after the speech (protocol 5.2). */
const SILENCE_MS = 800;
/** End of the sentence heard → its final text. */
const FINAL = [150, 250] as const;
const MISHEARD_EVERY = 4;

/** Levels in, flat transcripts out; the texts come from the phrase table, as everywhere in the sandbox. */
export interface Transcriber {
	hear(level: number, durationMs: number): void;
	close(): void;
}

export function createTranscriber(parts: {
	clock: Clock;
	random: () => number;
	settings: { readonly language: string; readonly targets: readonly string[] };
	say: (message: object) => void;
}): Transcriber {
	const { clock, random, settings, say } = parts;
	const { language, targets } = settings;
	const scope = createScope(clock);
	const phrasePicker = createPhrasePicker('script');
	const before = new Map<string, string>();
	let count = 0;

	function message(segment: Segment, text: string, final: boolean): object {
		const { transcriptionId: id, startS, endS } = segment;
		const known = before.get(id) ?? '';
		// The text added at the end; when the end was rewritten, `delta` holds less than changed: it cannot be relied on.
		const added = text.startsWith(known) ? text.slice(known.length).trim() : (text.split(' ').at(-1) ?? '');
		const times = { start_time: round(startS), end_time: round(endS) };
		before.set(id, text);
		return {
			message_type: STT_MESSAGE.transcription,
			transcription_id: id,
			language,
			is_eos: final,
			segment: { text, ...times },
			delta: { text: added, ...times },
		};
	}

	function translate(segment: Segment, target: string): void {
		scope.after(draw(TIMING.translated, random), () => {
			const text = phrasePicker.translation(segment.sentence, target);
			say({
				message_type: STT_MESSAGE.translated,
				transcription_id: segment.transcriptionId,
				language: target,
				is_eos: true,
				segment: { text, start_time: round(segment.startS), end_time: round(segment.endS) },
			});
		});
	}

	const listening = createListening({
		clock,
		newId() {
			count += 1;
			return `seg-${count}`;
		},
		rules: () => ({ silenceMs: SILENCE_MS, split: true }),
		partial(segment) {
			const whole = heardSoFar(phrasePicker.source(segment.sentence, language), segment.spokenMs);
			const text = segment.partials % MISHEARD_EVERY === 0 ? misheard(whole) : whole;
			say(message(segment, text, false));
		},
		final(segment) {
			scope.after(draw(FINAL, random), () => {
				say(message(segment, phrasePicker.source(segment.sentence, language), true));
				before.delete(segment.transcriptionId);
				for (const target of targets) translate(segment, target);
			});
		},
	});

	return {
		hear: (level, durationMs) => listening.hear(level, durationMs),
		close: () => scope.close(),
	};
}

function round(seconds: number): number {
	return Math.round(seconds * 1000) / 1000;
}
