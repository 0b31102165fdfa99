import { createStore, type StoreApi } from 'zustand/vanilla';
import { type Conversation, isOver } from '#renderer/conversation/conversation.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { matchLanguage } from '#shared/protocol/languages.ts';

/** Final texts arrive for the newest rows; older rows are not watched. */
const ROWS_WATCHED = 8;

/** Transcription ids of the rows whose voice is being heard, at most one per direction. */
export interface SpokenRows {
	readonly store: StoreApi<{
		readonly lit: readonly string[];
		/** These ids in the order of the directions; null = none. */
		readonly sides: readonly (string | null)[];
	}>;
	close: Cancel;
}

type Lit = ReturnType<SpokenRows['store']['getState']>;

interface SpokenLeg extends Pick<Conversation, 'store' | 'captions'> {
	/** The requested targets, from which the audible language follows; null = unknown. */
	readonly choices: () => Targets | null;
}

type Targets = Pick<Choices, 'hear' | 'voiceOf' | 'bothWays'>;

export function createSpokenRows({
	legs,
	clock,
}: {
	readonly legs: readonly SpokenLeg[];
	readonly clock: Clock;
}): SpokenRows {
	const store: SpokenRows['store'] = createStore(() => ({ lit: [], sides: [] }) as Lit);
	const followed = legs.map((leg) => followLeg(leg, clock, show));

	function show(): void {
		const sides = followed.map((one) => litRow(one.spoken()));
		if (sides.join('\n') === store.getState().sides.join('\n')) return;
		store.setState({ lit: sides.filter((row) => row !== null), sides });
	}

	return {
		store,
		close() {
			for (const one of followed) one.close();
		},
	};
}

function followLeg({ store, captions, choices }: SpokenLeg, clock: Clock, show: () => void) {
	let spoken: Spoken = nothingSpoken;
	/** Final texts of all languages, so that old ones do not count as new when the voice changes its target. */
	let known = new Set<string>();
	let rows = 0;
	let cancel: Cancel = () => {};

	function set(next: Spoken): void {
		spoken = next;
		cancel();
		cancel = () => {};
		const { active, current, waiting } = spoken;
		if (active && current && waiting.length > 0) {
			cancel = clock.after(Math.max(0, current.endsMs - clock.now()), () => set(passed(spoken, clock.now())));
		}
		show();
	}

	function look(): void {
		const count = captions.store.getState().rows;
		// Another conversation started, or the captions were cleared.
		if (count < rows) {
			known = new Set();
			set({ ...nothingSpoken, active: spoken.active, rate: spoken.rate });
		}
		rows = count;
		const seen = new Set<string>();
		let next = spoken;
		const targets = choices();
		for (let index = Math.max(0, count - ROWS_WATCHED); index < count; index++) {
			const { translations = [] } = captions.row(index) ?? {};
			const heard = heardOf(translations, targets);
			for (const { key, final, language, transcriptionId, text } of translations) {
				if (!final) continue;
				seen.add(key);
				if (language === heard && !known.has(key)) next = finished(next, transcriptionId, text, clock.now());
			}
		}
		known = seen;
		if (next !== spoken) set(next);
	}

	const ends = [
		captions.store.subscribe(look),
		store.subscribe((view, before) => {
			if (view.voiceActive !== before.voiceActive) set(voice(spoken, view.voiceActive, clock.now()));
			if (view.phase !== before.phase && isOver(view)) set({ ...nothingSpoken, rate: spoken.rate });
		}),
	];
	return {
		spoken: () => spoken,
		close() {
			cancel();
			for (const end of ends) end();
		},
	};
}

/** The audible language of a row. With a single target, or one session for both directions, any language counts. */
function heardOf(translations: CaptionRow['translations'], choices: Targets | null): string | undefined {
	const languages = [...new Set(translations.map(({ language }) => language))];
	const { hear, voiceOf, bothWays } = choices ?? { hear: [], voiceOf: '' };
	if (hear.length > 1 && !bothWays) {
		// The text in another target language may be final first.
		const target = matchLanguage(voiceOf, hear) ?? hear[0];
		return languages.find((language) => matchLanguage(language, hear) === target);
	}
	return languages.length > 1 ? (matchLanguage(voiceOf, languages) ?? undefined) : languages[0];
}

/**
 * Estimates which sentence is being heard. The voice is only a stream of sound, but sentences are spoken in the
 * order in which their translations became final, a voice that starts after silence begins a sentence, and the
 * duration of a sentence follows from its length. Pure; times in ms on any one clock.
 */
export interface Spoken {
	readonly waiting: readonly Sentence[];
	readonly current: (Sentence & { readonly sinceMs: number; readonly endsMs: number }) | null;
	readonly active: boolean;
	readonly silentMs: number;
	/** Measured letters per second. */
	readonly rate: number;
}

interface Sentence {
	/** Transcription id of the sentence's row. */
	readonly row: string;
	readonly letters: number;
}

export const nothingSpoken: Spoken = {
	waiting: [],
	current: null,
	active: false,
	silentMs: Number.NEGATIVE_INFINITY,
	rate: 15,
};

/** A service that keeps up never queues more; older sentences will not be heard any more. */
const MOST_WAITING = 12;
/** Shorter silences are pauses within a sentence. */
const PAUSE_MS = 450;
/** A sentence of which this share was spoken before a pause is over. */
const DONE = 0.7;
const [SLOWEST, FASTEST] = [6, 40];
/** Characters that each take as long to speak as several letters. */
const SYLLABLES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const LETTERS_OF_SYLLABLE = 2.5;

/** A translation that will be spoken became final; all texts of one row count as one sentence. */
export function finished(spoken: Spoken, row: string, text: string, nowMs: number): Spoken {
	const syllables = text.match(SYLLABLES)?.length ?? 0;
	const letters = Math.max(1, text.length + syllables * (LETTERS_OF_SYLLABLE - 1));
	const last = spoken.waiting.at(-1);
	const waiting =
		last?.row === row
			? [...spoken.waiting.slice(0, -1), { row, letters: last.letters + letters }]
			: [...spoken.waiting, { row, letters }].slice(-MOST_WAITING);
	const next = { ...spoken, waiting };
	return next.active && next.current === null ? begin(next, nowMs) : next;
}

/** The voice started or fell silent. */
export function voice(spoken: Spoken, active: boolean, nowMs: number): Spoken {
	if (active === spoken.active) return spoken;
	if (!active) return { ...measured(spoken, nowMs), active, silentMs: nowMs };
	const next = { ...spoken, active };
	const { current } = next;
	if (!current) return begin(next, nowMs);
	const share = (spoken.silentMs - current.sinceMs) / (current.endsMs - current.sinceMs);
	const isOver = nowMs - spoken.silentMs >= PAUSE_MS && (share >= DONE || nowMs >= current.endsMs);
	if (isOver) return begin({ ...next, current: null }, nowMs);
	const pausedMs = nowMs - spoken.silentMs;
	return { ...next, current: { ...current, endsMs: current.endsMs + pausedMs } };
}

/** Time has passed: moves to the next sentence once the current one must be over. */
export function passed(spoken: Spoken, nowMs: number): Spoken {
	const { active, current } = spoken;
	if (!active || !current || nowMs < current.endsMs) return spoken;
	return begin(spoken, current.endsMs);
}

/** The row that is lit: none in silence. */
export function litRow({ active, current }: Spoken): string | null {
	return active ? (current?.row ?? null) : null;
}

function begin(spoken: Spoken, nowMs: number): Spoken {
	const [sentence, ...waiting] = spoken.waiting;
	if (!sentence) return spoken;
	const endsMs = nowMs + (sentence.letters / spoken.rate) * 1000;
	return { ...spoken, waiting, current: { ...sentence, sinceMs: nowMs, endsMs } };
}

/** The voice fell silent with an empty queue, so the sentence's duration is known. */
function measured(spoken: Spoken, nowMs: number): Spoken {
	const { current, waiting, rate } = spoken;
	if (!current || waiting.length > 0) return spoken;
	const took = current.letters / ((nowMs - current.sinceMs) / 1000);
	// The voice spoke half a sentence, or two, or none, so the rate is unknown.
	if (took > rate * 2 || took < rate / 2) return spoken;
	return { ...spoken, rate: Math.min(FASTEST, Math.max(SLOWEST, (rate + took) / 2)) };
}
