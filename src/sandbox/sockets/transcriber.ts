import type { FaultSet } from '#sandbox/faults.ts';
import { heardSoFar, misheard } from '#sandbox/interpreter/growing-text.ts';
import { createListening, type Segment } from '#sandbox/interpreter/listening.ts';
import { createPhrasePicker } from '#sandbox/interpreter/phrase-picker.ts';
import { draw, TIMING } from '#sandbox/interpreter/timing.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import { FINALIZED_MARKER, STT_MESSAGE } from '#shared/protocol/speech-to-text.ts';

/** Silence that ends a sentence here, ms: with `FINAL`, a final comes about a second after the speech (protocol 5.2). */
const SILENCE_MS = 800;
/** End of the sentence heard → its final text. */
const FINAL = [150, 250] as const;
const MISHEARD_EVERY = 4;
const LATE_MS = 4000;

/** Levels in, flat transcripts out; the texts come from the phrase table, as everywhere in the sandbox. */
export interface Transcriber {
	hear(level: number, durationMs: number): void;
	/** What was heard so far becomes final now; the marker that answers is on the last of it, or alone. */
	finalize(): void;
	close(): void;
}

export function createTranscriber(parts: {
	clock: Clock;
	random: () => number;
	faults: FaultSet;
	settings: { readonly language: string; readonly targets: readonly string[] };
	say: (message: object) => void;
}): Transcriber {
	const { clock, random, faults, settings, say } = parts;
	const { language, targets } = settings;
	const scope = createScope(clock);
	const phrasePicker = createPhrasePicker('script');
	const before = new Map<string, string>();
	/** Finals that are on their way, oldest first; those in `marked` answer `finalize`. */
	const due = new Set<Segment>();
	const marked = new Set<Segment>();
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
		rules: () =>
			faults.has('only-finalize')
				? { silenceMs: Infinity, split: false }
				: { silenceMs: SILENCE_MS, split: true },
		partial(segment) {
			if (faults.has('empty-segments')) say(message(segment, '', false));
			const whole = heardSoFar(phrasePicker.source(segment.sentence, language), segment.spokenMs);
			const text = segment.partials % MISHEARD_EVERY === 0 ? misheard(whole) : whole;
			say(message(segment, text, false));
		},
		final(segment) {
			due.add(segment);
			scope.after(draw(FINAL, random), () => finish(segment));
		},
	});

	function finish(segment: Segment): void {
		due.delete(segment);
		const text = phrasePicker.source(segment.sentence, language);
		const isMarked = marked.delete(segment);
		const isAlone = isMarked && faults.has('lone-fin');
		if (faults.has('empty-segments')) say(message(newSegment(), '', true));
		const said = faults.has('empty-segments') && segment.sentence === 2 ? '' : text;
		say(message(segment, isMarked && !isAlone ? `${said} ${FINALIZED_MARKER}`.trim() : said, true));
		before.delete(segment.transcriptionId);
		if (isAlone) say(message(newSegment(), FINALIZED_MARKER, true));
		for (const target of targets) translate(segment, target);
		if (!faults.has('repeated-finals')) return;
		say(message(segment, text.split(' ')[0] ?? '', false));
		say(message(segment, `${text} ${text}`, true));
		say(message(segment, '', true));
		before.delete(segment.transcriptionId);
	}

	/** One in which nothing is heard. */
	function newSegment(): Segment {
		count += 1;
		const transcriptionId = `seg-${count}`;
		const nothing = { sentence: 0, startS: 0, endS: 0, startedAtS: 0, spokenMs: 0, partials: 0, packets: [] };
		return { transcriptionId, ...nothing };
	}

	function finalize(): void {
		listening.finish();
		if (faults.has('no-fin')) return;
		const last = [...due].at(-1);
		if (last && !marked.has(last)) marked.add(last);
		else scope.after(draw(FINAL, random), () => say(message(newSegment(), FINALIZED_MARKER, true)));
	}

	return {
		finalize() {
			if (faults.has('late-fin')) scope.after(LATE_MS, finalize);
			else finalize();
		},
		hear: (level, durationMs) => listening.hear(level, durationMs),
		close: () => scope.close(),
	};
}

function round(seconds: number): number {
	return Math.round(seconds * 1000) / 1000;
}
