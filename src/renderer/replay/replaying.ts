import type { StoreApi } from 'zustand/vanilla';
import type { LegName } from '#shared/leg-name.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { cutAtPauses, type VoiceSlice, withoutPauses } from '#shared/sound/voice-ring.ts';
import type { HeardRow, VoiceTimes } from './voice-times.ts';

export interface ReplayView {
	/** The row that is played; null = none. */
	readonly row: string | null;
	/** What was missed meanwhile is played. */
	readonly catchingUp: boolean;
	/** A replay was requested, but there is nothing to play. */
	readonly nothing: boolean;
}

export const nothingAgain: ReplayView = { row: null, catchingUp: false, nothing: false };

/** "What did they say?": the voice of a row once more, for my ear alone, while the live voice waits. */
export interface Replaying {
	/**
	 * Replays the last sentence (of these rows; by default of what is said to me); called again during a replay or right
	 * after, the sentence before it.
	 */
	last(among?: (row: string) => boolean): void;
	play(row: string): void;
	/** Back to the live voice, at once. */
	stop(): void;
	/** Another conversation begins. */
	forget(): void;
}

/** Adds what the window shows of it. */
export interface Replay extends Omit<Replaying, 'forget'> {
	readonly store: StoreApi<ReplayView>;
	/** Rows that can be replayed. */
	readonly rows: StoreApi<ReadonlySet<string>>;
}

export interface ReplayParts {
	readonly store: StoreApi<ReplayView>;
	readonly times: VoiceTimes;
	readonly read: (leg: LegName, fromMs: number, toMs: number) => Promise<VoiceSlice | null>;
	/** Resolves when it was heard, or was aborted. */
	readonly sound: (slice: VoiceSlice, speed: number, signal: AbortSignal) => Promise<unknown>;
	/** The voices that I hear; what they say meanwhile is caught up with. */
	readonly ears: () => readonly LegName[];
	/** The directions whose voices are for me, muted or not: in a meeting mine goes into the call. */
	readonly mine: () => readonly LegName[];
	readonly quiet: (leg: LegName, quiet: boolean) => void;
	/** 0.7 to 1. */
	readonly speed: () => number;
	readonly clock: Clock;
}

/** Accuracy of the beginning of a sentence, ms. */
const SLACK_MS = 350;
/** A further request within this time means the sentence before. */
const AGAIN_MS = 2500;
const CATCH_UP_SPEED = 1.2;
/** Less than this is not worth waiting for, ms. */
const LITTLE_MS = 300;
/** Catching up gives up after this many passes when somebody never stops speaking. */
const MOST_PASSES = 4;

export function createReplaying(parts: ReplayParts): Replaying {
	const { store, times, read, sound, ears, mine, quiet, speed, clock } = parts;
	let current: AbortController | null = null;
	let last: { readonly heard: HeardRow; endedMs: number } | null = null;
	/** Voices that wait, and since when. */
	let waiting: readonly { readonly leg: LegName; sinceMs: number }[] = [];

	function hold(): void {
		if (waiting.length > 0) return;
		waiting = ears().map((leg) => ({ leg, sinceMs: clock.now() }));
		for (const { leg } of waiting) quiet(leg, true);
	}

	function release(): void {
		for (const { leg } of waiting) quiet(leg, false);
		waiting = [];
		store.setState(nothingAgain);
		current = null;
	}

	async function begin(heard: HeardRow): Promise<void> {
		current?.abort();
		const own = new AbortController();
		current = own;
		last = { heard, endedMs: Number.POSITIVE_INFINITY };
		hold();
		store.setState({ row: heard.row, catchingUp: false, nothing: false });
		const slice = await read(
			heard.leg,
			heard.startMs - SLACK_MS,
			Math.min(heard.endMs, clock.now()) + SLACK_MS,
		);
		if (own.signal.aborted) return;
		const cut = slice && cutAtPauses(slice, SLACK_MS);
		if (cut && cut.samples.length > 0) await sound(cut, speed(), own.signal);
		if (own.signal.aborted) return;
		if (last?.heard === heard) last.endedMs = clock.now();
		await catchUp(own.signal);
		if (own.signal.aborted) return;
		release();
		if (!cut || cut.samples.length === 0) store.setState({ nothing: true });
	}

	async function catchUp(signal: AbortSignal): Promise<void> {
		for (let pass = 0; pass < MOST_PASSES; pass++) {
			let isDone = true;
			for (const one of waiting) {
				const toMs = clock.now();
				const slice = await read(one.leg, one.sinceMs, toMs);
				if (signal.aborted) return;
				const missed = slice && withoutPauses(slice);
				if (missed && (missed.samples.length / missed.rateHz) * 1000 >= LITTLE_MS) {
					isDone = false;
					store.setState({ row: null, catchingUp: true });
					await sound(missed, CATCH_UP_SPEED, signal);
					// Somebody who asks for another sentence meanwhile has not heard it all: catching up restarts from its beginning.
					if (signal.aborted) return;
				}
				one.sinceMs = toMs;
			}
			if (isDone) return;
		}
	}

	function stop(): void {
		current?.abort();
		if (last) last.endedMs = clock.now();
		release();
	}

	return {
		last(among) {
			const legs = mine();
			const isWanted = ({ row, leg }: HeardRow) => (among ? among(row) : legs.includes(leg));
			const rows = times.now().filter(isWanted);
			// Each of two people goes back through what was said to them.
			const isAgain = last !== null && isWanted(last.heard) && clock.now() - last.endedMs < AGAIN_MS;
			const before =
				isAgain && last ? rows.filter(({ startMs }) => startMs < (last?.heard.startMs ?? 0)) : rows;
			// Nothing precedes the oldest sentence: it is played again.
			const wanted = before.at(-1) ?? (isAgain ? rows[0] : undefined);
			if (wanted) void begin(wanted);
			else store.setState({ nothing: true });
		},
		play(row) {
			const wanted = times.now().findLast((one) => one.row === row);
			if (wanted) void begin(wanted);
			else store.setState({ nothing: true });
		},
		stop,
		forget() {
			stop();
			last = null;
			times.forget();
		},
	};
}
