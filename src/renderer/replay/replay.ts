import type { StoreApi } from 'zustand/vanilla';
import type { SpokenRows } from '#renderer/captions/spoken-rows.ts';
import type { AudioEngine } from '#renderer/sound/context.ts';
import { addWorklet } from '#renderer/sound/worklet.ts';
import url from '#renderer/sound/worklets/voice-ring.worklet.ts?worker&url';
import type { LegName } from '#shared/leg-name.ts';
import { atMost, type Cancel, type Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { cutAtPauses, type VoiceSlice, withoutPauses } from '#shared/sound/voice-ring.ts';

export interface ReplayView {
	/** The row that is played; null = none. */
	readonly row: string | null;
	/** True while the voice missed during a replay is played. */
	readonly catchingUp: boolean;
	/** True if a replay was requested, but there is nothing to play. */
	readonly nothing: boolean;
}

export const nothingAgain: ReplayView = { row: null, catchingUp: false, nothing: false };

/** The replay with the state that the window shows. */
export interface Replay extends Omit<Replaying, 'forget'> {
	readonly store: StoreApi<ReplayView>;
	/** Rows that can be replayed. */
	readonly rows: StoreApi<ReadonlySet<string>>;
}

export interface ReplayParts {
	readonly store: StoreApi<ReplayView>;
	readonly times: VoiceTimes;
	readonly read: (leg: LegName, fromMs: number, toMs: number) => Promise<VoiceSlice | null>;
	/** Plays a slice; resolves when it was heard or aborted. */
	readonly sound: (slice: VoiceSlice, speed: number, signal: AbortSignal) => Promise<unknown>;
	/** The directions that the user hears; their speech during a replay is played afterwards. */
	readonly ears: () => readonly LegName[];
	/** The directions whose voices the user hears, muted or not; in a meeting their own goes into the call. */
	readonly mine: () => readonly LegName[];
	readonly quiet: (leg: LegName, quiet: boolean) => void;
	/** Returns the playback speed, 0.7 to 1. */
	readonly speed: () => number;
	readonly clock: Clock;
}

/** Accuracy of the start time of a sentence, ms. */
const SLACK_MS = 350;
/** A further request within this time replays the previous sentence, ms. */
const AGAIN_MS = 2500;
const CATCH_UP_SPEED = 1.2;
/** Missed speech shorter than this is not played, ms. */
const LITTLE_MS = 300;
/** Catching up stops after this many passes if the speaker never pauses. */
const MOST_PASSES = 4;

export type Replaying = ReturnType<typeof createReplaying>;

/** "What did they say?": replays the voice of a row for the user only, while the live voice waits. */
export function createReplaying(parts: ReplayParts) {
	const { store, times, read, sound, ears, mine, quiet, speed, clock } = parts;
	let current: AbortController | null = null;
	let last: { readonly heard: HeardRow; endedMs: number } | null = null;
	/** Directions whose voices are on hold, and since when. */
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
					// The user asked for another sentence before hearing all: catch up again from its beginning.
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
		/**
		 * Replays the last sentence of these rows, by default of the speech to the user. Called again during or right
		 * after a replay, replays the sentence before.
		 */
		last(among?: (row: string) => boolean): void {
			const legs = mine();
			const isWanted = ({ row, leg }: HeardRow) => (among ? among(row) : legs.includes(leg));
			const rows = times.now().filter(isWanted);
			// Each of two people steps back through the other's sentences.
			const isAgain = last !== null && isWanted(last.heard) && clock.now() - last.endedMs < AGAIN_MS;
			const before =
				isAgain && last ? rows.filter(({ startMs }) => startMs < (last?.heard.startMs ?? 0)) : rows;
			// Nothing precedes the oldest sentence, so play it again.
			const wanted = before.at(-1) ?? (isAgain ? rows[0] : undefined);
			if (wanted) void begin(wanted);
			else store.setState({ nothing: true });
		},
		play(row: string): void {
			const wanted = times.now().findLast((one) => one.row === row);
			if (wanted) void begin(wanted);
			else store.setState({ nothing: true });
		},
		/** Stops the replay and returns to the live voice at once. */
		stop,
		/** Stops and forgets all rows, because another conversation begins. */
		forget(): void {
			stop();
			last = null;
			times.forget();
		},
	};
}

export interface VoiceMemoryParts {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
	/** How many seconds are kept; the default of 120 is enough for "what did they say?". */
	readonly seconds?: number;
}

const REPLAY_S = 120;

/** A starting conversation gets its media within this time, ms. */
const AFTER_START_MS = 1000;
/** A voice that returns within this time belongs to the same conversation, ms. */
const FORGET_AFTER_MS = 10_000;
/** Maximum wait for an answer, because a stalled audio context never answers, ms. */
const ANSWER_LIMIT_MS = 1000;

export type VoiceMemory = ReturnType<typeof createVoiceMemory>;

/** The most recent sound of a voice, in memory only. */
export function createVoiceMemory(parts: VoiceMemoryParts) {
	const { engine, clock, log, seconds = REPLAY_S } = parts;
	let track: MediaStreamTrack | null = null;
	let unuse: (() => void) | null = null;
	let later: Cancel = () => {};
	let graph: { readonly context: AudioContext; readonly node: AudioWorkletNode } | null = null;
	let source: MediaStreamAudioSourceNode | null = null;
	let asked = 0;

	function connect(): void {
		source?.disconnect();
		source = null;
		if (!graph || !track) return;
		source = graph.context.createMediaStreamSource(new MediaStream([track]));
		source.connect(graph.node);
	}

	async function build(context: AudioContext, gone: () => boolean): Promise<void> {
		await addWorklet(context, url);
		if (gone()) return;
		const node = new AudioWorkletNode(context, 'voice-ring', {
			numberOfInputs: 1,
			outputChannelCount: [1],
			processorOptions: { seconds },
		});
		// A node that is not connected is not run; its output is silence.
		node.connect(context.destination);
		graph = { context, node };
		connect();
	}

	function begin(): void {
		unuse = engine.use((context) => {
			let gone = false;
			build(context, () => gone).catch((failure) => {
				log.warn('the voice cannot be kept for hearing it again', { failure: String(failure) });
			});
			return () => {
				gone = true;
				source?.disconnect();
				source = null;
				graph?.node.port.postMessage({ type: 'end' });
				graph?.node.disconnect();
				graph = null;
			};
		}, 'playback');
	}

	function follow(next: MediaStreamTrack | null): void {
		track = next;
		later();
		later = () => {};
		if (!next) {
			connect();
			later = clock.after(FORGET_AFTER_MS, () => {
				unuse?.();
				unuse = null;
			});
		} else if (unuse) connect();
		else later = clock.after(engine.isRunning ? 0 : AFTER_START_MS, begin);
	}

	return {
		/** Records this track from now on, heard or not; null: the track has ended. */
		follow,
		/** Overwrites the kept voice. */
		erase: (): void => graph?.node.port.postMessage({ type: 'erase' }),
		/** Reads the voice between two times of our clock, ms; null: nothing is kept. */
		async read(fromMs: number, toMs: number): Promise<VoiceSlice | null> {
			const node = graph?.node;
			if (!node) return null;
			asked += 1;
			const id = asked;
			const nowMs = clock.now();
			const ask = { type: 'read', id, fromAgoMs: nowMs - fromMs, toAgoMs: nowMs - toMs };
			let slice: VoiceSlice | null = null;
			let unlisten = () => {};
			const answer = new Promise<void>((resolve) => {
				const heard = ({ data }: MessageEvent) => {
					if (data.id !== id) return;
					slice = { samples: data.samples, rateHz: data.rateHz };
					resolve();
				};
				node.port.addEventListener('message', heard);
				unlisten = () => node.port.removeEventListener('message', heard);
			});
			node.port.start();
			node.port.postMessage(ask);
			await atMost(clock, ANSWER_LIMIT_MS, answer);
			unlisten();
			return slice;
		},
	};
}

/** How long a row can be replayed, ms: a little less than the voice is kept. */
const KEPT_MS = REPLAY_S * 1000 - 5000;

/** When the voice of a row was heard, ms on our clock. */
export interface HeardRow {
	readonly row: string;
	readonly leg: LegName;
	readonly startMs: number;
	/** End, ms on our clock; Infinity while the row is being heard. */
	readonly endMs: number;
}

export type VoiceTimes = ReturnType<typeof createVoiceTimes>;

/** Records when each row of each direction was highlighted; `rows` receives the ids of these rows. */
export function createVoiceTimes(
	spoken: SpokenRows['store'],
	clock: Clock,
	rows: StoreApi<ReadonlySet<string>>,
) {
	const sides = ['outgoing', 'incoming'] as const;
	let heard: readonly HeardRow[] = [];
	let before: readonly (string | null)[] = [];
	let cancel: Cancel = () => {};

	function now(): readonly HeardRow[] {
		return heard.filter(({ endMs }) => endMs > clock.now() - KEPT_MS);
	}

	function begun(leg: LegName, row: string): void {
		const last = heard.findLast((one) => one.leg === leg);
		// The voice continues the same sentence after a pause.
		if (last?.row === row)
			heard = heard.map((one) => (one === last ? { ...one, endMs: Number.POSITIVE_INFINITY } : one));
		else heard = [...heard, { row, leg, startMs: clock.now(), endMs: Number.POSITIVE_INFINITY }];
	}

	function ended(leg: LegName, row: string): void {
		heard = heard.map((one) =>
			one.leg === leg && one.row === row && one.endMs === Number.POSITIVE_INFINITY
				? { ...one, endMs: clock.now() }
				: one,
		);
	}

	/** Removes rows whose voice has been dropped, whether or not another voice follows. */
	function show(): void {
		heard = now();
		const ids = new Set(heard.map(({ row }) => row));
		if ([...ids].join('\n') !== [...rows.getState()].join('\n')) rows.setState(ids, true);
		cancel();
		const nextMs = Math.min(...heard.map(({ endMs }) => endMs)) + KEPT_MS;
		cancel = nextMs === Number.POSITIVE_INFINITY ? () => {} : clock.after(nextMs - clock.now(), show);
	}

	function look({ sides: lit }: { readonly sides: readonly (string | null)[] }): void {
		for (const [index, leg] of sides.entries()) {
			const [was, is] = [before[index] ?? null, lit[index] ?? null];
			if (was === is) continue;
			if (was !== null) ended(leg, was);
			if (is !== null) begun(leg, is);
		}
		before = lit;
		show();
	}
	spoken.subscribe(look);
	// This code is loaded with the first voice, which may be speaking already.
	look(spoken.getState());
	return {
		/** Rows that can still be replayed, oldest first. */
		now,
		/** Removes all rows, because another conversation begins. */
		forget(): void {
			heard = [];
			show();
		},
	};
}
