import { TIMING } from '#sandbox/interpreter/transport.ts';
import type { Clock } from '#shared/lib/clock.ts';

/** A lower level never counts as speech (about −48 dBFS). */
const LEAST = 0.004;

/** Speech is louder than the noise by at least this factor (10 dB). */
const ABOVE_NOISE = 3;

/** Once speech has begun, its level may fall to this share of the threshold (4.4 dB). */
const RELEASE = 0.6;

/** Shorter sounds count as clicks. */
const ONSET_MS = 60;

/** The noise floor falls quickly and rises slowly, so that speech does not count as noise. */
const FALL_MS = 300;

const RISE_MS = 30_000;

/** Highest noise floor: a level of three times this value always counts as speech. */
const FLOOR_MAX = 0.02;

/** The recognised beginning of one sentence. */
export interface Segment {
	readonly transcriptionId: string;
	/** Number of the sentence in the conversation, from 1. */
	readonly sentence: number;
	/** Seconds from the start of the stream. */
	readonly startS: number;
	endS: number;
	/** Unix seconds of the start. */
	readonly startedAtS: number;
	/** Length of the speech without pauses, ms. */
	spokenMs: number;
	/** Number of partial texts so far. */
	partials: number;
	/** The received audio without pauses at the end. */
	readonly packets: Uint8Array[];
}

interface ListeningRules {
	/** Silence that confirms a segment, ms. */
	readonly silenceMs: number;
	/** Whether long segments are split. */
	readonly split: boolean;
}

/** Packets kept from before speech was detected, so that an echo includes its first sound. */
const PRE_ROLL = 8;
/** Number of packets after the last speech that an echo includes. */
const POST_ROLL = 8;
/** Maximum number of packets in a segment (a minute). */
const PACKETS_MAX = 3000;

/** Turns levels into segments: `partial` about four times a second of speech, `final` at its end. */
export function createListening(parts: {
	clock: Clock;
	newId: () => string;
	rules: () => ListeningRules;
	partial: (segment: Segment) => void;
	final: (segment: Segment) => void;
}) {
	let activity = createVoiceActivity();
	let heardMs = 0;
	let open: Segment | null = null;
	let unreportedMs = 0;
	let sentences = 0;
	let skipping = false;
	let skippedMs = 0;
	let recent: Uint8Array[] = [];
	let afterSpeech = 0;

	function begin(durationMs: number): Segment {
		unreportedMs = 0;
		const { clock, newId } = parts;
		return {
			transcriptionId: newId(),
			sentence: sentences + 1,
			startS: Math.max(0, heardMs - durationMs) / 1000,
			endS: heardMs / 1000,
			startedAtS: (clock.wall() - durationMs) / 1000,
			spokenMs: 0,
			partials: 0,
			packets: recent.splice(0),
		};
	}

	function grow(segment: Segment, durationMs: number): void {
		segment.spokenMs += durationMs;
		segment.endS = heardMs / 1000;
		afterSpeech = 0;
		unreportedMs += durationMs;
		if (unreportedMs < TIMING.partial) return;
		unreportedMs = 0;
		// Only a segment that is long enough for a text counts as a sentence of the conversation.
		if (segment.partials === 0) sentences += 1;
		segment.partials += 1;
		parts.partial(segment);
	}

	function finish(): void {
		const segment = open;
		open = null;
		if (!segment || segment.partials === 0) return;
		if (afterSpeech > POST_ROLL)
			segment.packets.length -= Math.min(segment.packets.length, afterSpeech - POST_ROLL);
		parts.final(segment);
	}

	return {
		hear(level: number, durationMs: number): void {
			heardMs += durationMs;
			const speaking = activity.hear(level, durationMs);
			const { silenceMs, split } = parts.rules();
			if (!speaking) {
				if (activity.silenceMs >= silenceMs) {
					skipping = false;
					finish();
				}
				return;
			}
			if (skipping) {
				// The next sentence begins where this one would have been split.
				skippedMs += durationMs;
				if (!split || skippedMs <= TIMING.longest) return;
				skipping = false;
			}
			open ??= begin(durationMs);
			grow(open, durationMs);
			if (split && heardMs - open.startS * 1000 > TIMING.longest) finish();
		},
		packet(payload: Uint8Array): void {
			if (open) {
				afterSpeech += 1;
				if (open.packets.length < PACKETS_MAX) open.packets.push(payload);
				return;
			}
			recent.push(payload);
			if (recent.length > PRE_ROLL) recent.shift();
		},
		/** Confirms the open segment now, as silence would. */
		finish,
		/**
		 * Drops the open segment and the rest of its sentence, up to the next pause or to where it would be split.
		 */
		discard(): void {
			skipping = open !== null || activity.silenceMs === 0;
			skippedMs = 0;
			open = null;
			recent = [];
		},
		/** Drops the open segment and starts again: the next sound is a new sentence. */
		reset(): void {
			activity = createVoiceActivity();
			skipping = false;
			open = null;
			recent = [];
		},
	};
}

/** Detects speech from levels alone. */
export function createVoiceActivity() {
	let floor = LEAST / ABOVE_NOISE;
	let loudMs = 0;
	let silenceMs = 0;
	let speaking = false;

	function follow(level: number, durationMs: number): void {
		const share = 1 - Math.exp(-durationMs / (level < floor ? FALL_MS : RISE_MS));
		floor = Math.min(FLOOR_MAX, floor + (level - floor) * share);
	}

	return {
		/** Processes `durationMs` of sound with a linear RMS `level`; true while speech is detected. */
		hear(level: number, durationMs: number): boolean {
			follow(level, durationMs);
			const threshold = Math.max(LEAST, floor * ABOVE_NOISE);
			if (level >= (speaking ? threshold * RELEASE : threshold)) {
				loudMs += durationMs;
				if (loudMs >= ONSET_MS) speaking = true;
			} else {
				speaking = false;
				loudMs = 0;
			}
			silenceMs = speaking ? 0 : silenceMs + durationMs;
			return speaking;
		},
		/** Length of the current silence, ms; 0 during speech. */
		get silenceMs(): number {
			return silenceMs;
		},
	};
}

/** Speed at which text is revealed: about as fast as people talk. */
const WORDS_PER_S = 2.6;
/** Speed for scripts without gaps between words. */
const CHARACTERS_PER_S = 8;

/** The beginning of `text` spoken after `spokenMs`: at least a word, never the whole text. */
export function heardSoFar(text: string, spokenMs: number): string {
	const words = text.split(' ');
	if (words.length > 1) {
		const count = Math.max(1, Math.floor((spokenMs / 1000) * WORDS_PER_S));
		return unfinished(words.slice(0, count).join(' '));
	}
	const characters = [...text];
	return unfinished(
		characters.slice(0, Math.max(1, Math.floor((spokenMs / 1000) * CHARACTERS_PER_S))).join(''),
	);
}

/** Simulates a correction of the recogniser: the last word is misheard for a moment. */
export function misheard(text: string): string {
	const cut = text.replace(/\S{2}$/u, '');
	return cut.trim() === '' ? text : cut;
}

function unfinished(text: string): string {
	return text.replace(/[.,!?;:。、?？،؟\s]+$/u, '');
}
