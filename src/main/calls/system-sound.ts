import type { SoundFrame, SystemSoundState } from '#shared/host/calls.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { applicationsOf, type SinkInput, type SoundRecorder } from './sound-recorder.ts';
import type { Lowering } from './turn-down-programs.ts';

/** Wait this long before reading the list again: a program that starts to play causes several changes at once. */
const LOOK_AFTER_MS = 60;
/** Delays between attempts to reach a sound server that does not answer; then report a problem. */
const RETURN_MS = [300, 600, 1200, 2400, 5000, 10_000] as const;
/** Delays before restarting a recording that ends again: it ends when its stream moves to another output. */
const AGAIN_MS = [50, 200, 500, 1000, 2000] as const;
/** A recording that ran this long does not count as another failure in a row. */
const RAN_MS = 3000;
/** One conversation listens; a second may be closing. */
const MOST_LISTENERS = 3;

/** Our ends of a stream's three ports; captured sound travels the other way and is not used. */
export interface SoundEnds {
	readonly control: {
		post(value: unknown): void;
		listen(heard: (value: unknown) => void): void;
		/** Calls back when the other end has closed. */
		closed(heard: () => void): void;
		close(): void;
	};
	readonly capture: { close(): void };
	readonly voice: { post(value: unknown): void; close(): void };
}

export interface SystemSoundAnswers {
	'system-sound.state'(): Promise<Result<SystemSoundState, Problem>>;
	'system-sound.open'(input: {
		readonly stream: string;
		readonly application: string | null;
		readonly rateHz: number;
	}): Promise<Result<void, Problem>>;
	'system-sound.close'(input: { readonly stream: string }): Promise<Result<void, Problem>>;
	'system-sound.lower'(input: { readonly gain: number }): Promise<Result<void, Problem>>;
}

export interface SystemSound {
	readonly answers: SystemSoundAnswers;
	listening(): boolean;
	listen(heard: (state: SystemSoundState) => void): Cancel;
	/** Closes all recordings, because the page was closed or the account changes. */
	closeAll(): void;
	/** Restores the volumes that a crashed program had turned down. */
	clean(): Promise<void>;
	/** Resolves when everything is as loud as it was. */
	close(): Promise<void>;
}

export interface SystemSoundParts {
	/** Null if programs cannot be recorded one by one; `way` then says how the window can capture. */
	readonly recorder: SoundRecorder | null;
	readonly way: SystemSoundState['way'];
	/** Null if programs cannot be turned down one by one. */
	readonly lowering: Lowering | null;
	/** Creates the ports of a stream: gives the window its ends and returns ours; null if there is no window. */
	readonly createPorts: (stream: string) => SoundEnds | null;
	readonly clock: Clock;
	readonly log: Logger;
}

interface Listener {
	readonly application: string | null;
	readonly rateHz: number;
	readonly ends: SoundEnds;
	/** Recordings, by the stream they record. */
	readonly recordings: Map<number, Cancel>;
	/** How often in a row the recording of a stream has failed. */
	readonly broken: Map<number, number>;
}

export function createSystemSound(parts: SystemSoundParts): SystemSound {
	const { recorder, lowering, clock, log } = parts;
	const heardBy = createListeners<[state: SystemSoundState]>();
	const listeners = new Map<string, Listener>();
	/** Streams that the window captures itself; it may do so while they are in this set. */
	const captured = new Set<string>();
	let state: SystemSoundState = { revision: 1, way: parts.way, applications: [], problem: null };
	let inputs: readonly SinkInput[] = [];
	let unwatch: Cancel | null = null;
	let unwait: Cancel = () => {};
	/** Cancels the wait for the server to answer again; null while not waiting. */
	let unreturn: Cancel | null = null;
	/** True from the server's first answer until it counts as gone: a single failed poll is not a problem yet. */
	let answered = false;
	let unagain: Cancel = () => {};
	let againMs = Infinity;
	let looking: Promise<void> | null = null;
	let lookAgain = false;
	let closed = false;

	function set(change: Partial<Pick<SystemSoundState, 'applications' | 'problem'>>): void {
		const next = { ...state, ...change };
		if (JSON.stringify(next) === JSON.stringify(state)) return;
		state = { ...next, revision: state.revision + 1 };
		heardBy.tell(state);
	}

	/** Reads the list; a call during a read starts another read afterwards. */
	function look(from: SoundRecorder): Promise<void> {
		lookAgain = looking !== null;
		looking ??= readList(from).finally(() => {
			looking = null;
			if (lookAgain && !closed) void look(from);
		});
		return looking;
	}

	async function readList(from: SoundRecorder): Promise<void> {
		const found = await from.streams();
		if (closed) return;
		if (!found.ok) {
			// A recording under way continues, so one failed poll is not reported.
			if (!answered) set({ problem: found.error });
			if (!unreturn) comeBack(from, 0);
			return;
		}
		answered = true;
		// Without a watch, still retry until the server is back.
		if (unwatch) {
			unreturn?.();
			unreturn = null;
		}
		inputs = found.value;
		set({ applications: applicationsOf(inputs), problem: null });
		for (const listener of listeners.values()) follow(from, listener);
		lowering?.follow(inputs, isRecorded);
	}

	function isRecorded(index: number): boolean {
		return [...listeners.values()].some(({ recordings }) => recordings.has(index));
	}

	/** Runs at the first request; afterwards only events report changes, unless there is a problem. */
	async function begin(from: SoundRecorder): Promise<void> {
		if (closed || (unwatch && !state.problem)) return looking ?? undefined;
		await watchAndLook(from);
	}

	async function watchAndLook(from: SoundRecorder): Promise<void> {
		unwatch ??= from.watch(
			() => {
				unwait();
				unwait = clock.after(LOOK_AFTER_MS, () => void look(from));
			},
			() => {
				unwatch = null;
				if (!unreturn) comeBack(from, 0);
			},
		);
		await look(from);
	}

	/** Called when the server is gone, and every recording with it, or when it does not answer. */
	function comeBack(from: SoundRecorder, tries: number): void {
		const delayMs = RETURN_MS[tries];
		if (closed) return;
		if (delayMs === undefined) {
			log.warn('the sound server is away');
			unreturn = null;
			answered = false;
			const problem = state.problem ?? { kind: 'system-sound-failed', reason: 'server' };
			set({ applications: [], problem });
			failAll(problem);
			return;
		}
		const mine = clock.after(delayMs, async () => {
			const found = await from.streams();
			// A read caused by an event may have succeeded first.
			if (closed || unreturn !== mine) return;
			if (!found.ok) return comeBack(from, tries + 1);
			unreturn = null;
			void watchAndLook(from);
		});
		unreturn = mine;
	}

	/** Records the present streams that a listener wants. */
	function follow(from: SoundRecorder, listener: Listener): void {
		const { application, ends, recordings, broken } = listener;
		const wanted = new Set(
			inputs
				.filter((one) => application === null || one.application === application)
				.map(({ index }) => index),
		);
		for (const index of broken.keys()) if (!wanted.has(index)) broken.delete(index);
		for (const [index, stop] of recordings) {
			if (wanted.has(index)) continue;
			stop();
			gone(ends, recordings, index);
		}
		for (const index of wanted) {
			const isGivenUp = (broken.get(index) ?? 0) > AGAIN_MS.length;
			if (!recordings.has(index) && !isGivenUp) record(from, listener, index);
		}
	}

	function record(from: SoundRecorder, listener: Listener, index: number): void {
		const { rateHz, ends, recordings, broken } = listener;
		const beganMs = clock.now();
		const stop = from.record(
			index,
			rateHz,
			(samples) => {
				// A stream's monitor records it at its current volume, turned down or not.
				lowering?.undo(index, samples);
				ends.voice.post({ from: index, samples } satisfies SoundFrame);
			},
			(problem) => {
				gone(ends, recordings, index);
				if (problem) return failAll(problem);
				const tries = clock.now() - beganMs > RAN_MS ? 0 : (broken.get(index) ?? 0);
				broken.set(index, tries + 1);
				const delayMs = AGAIN_MS[tries];
				if (delayMs === undefined) return log.warn('a program cannot be recorded');
				// A check that is already scheduled to run earlier covers this one, too.
				if (againMs <= clock.now() + delayMs) return;
				unagain();
				againMs = clock.now() + delayMs;
				unagain = clock.after(delayMs, () => {
					againMs = Infinity;
					if (unwatch) void look(from);
				});
			},
		);
		recordings.set(index, stop);
	}

	function failAll(problem: Problem): void {
		for (const [stream, { ends }] of [...listeners]) {
			ends.control.post({ type: 'failed', problem });
			leave(stream);
		}
	}

	function gone(ends: SoundEnds, recordings: Map<number, Cancel>, index: number): void {
		if (recordings.delete(index)) ends.voice.post({ from: index, samples: null } satisfies SoundFrame);
	}

	function leave(stream: string): void {
		captured.delete(stream);
		const listener = listeners.get(stream);
		if (!listener) return;
		listeners.delete(stream);
		for (const stop of listener.recordings.values()) stop();
		listener.recordings.clear();
		for (const port of [listener.ends.control, listener.ends.capture, listener.ends.voice]) port.close();
		if (listeners.size === 0) void lowering?.restore();
	}

	function closeAll(): void {
		for (const stream of [...listeners.keys(), ...captured]) leave(stream);
	}

	return {
		answers: {
			async 'system-sound.state'() {
				if (recorder) await begin(recorder);
				return ok(state);
			},
			async 'system-sound.open'({ stream, application, rateHz }) {
				if (closed) return err({ kind: 'cancelled' });
				if (!recorder && parts.way === 'loopback') {
					if (captured.size >= MOST_LISTENERS) return err({ kind: 'bug', where: 'system-sound.open' });
					captured.add(stream);
					return ok();
				}
				if (!recorder) return err({ kind: 'system-sound-unsupported' });
				if (listeners.has(stream) || listeners.size >= MOST_LISTENERS)
					return err({ kind: 'bug', where: 'system-sound.open' });
				const ends = parts.createPorts(stream);
				if (!ends) return err({ kind: 'cancelled' });
				const listener: Listener = { application, rateHz, ends, recordings: new Map(), broken: new Map() };
				listeners.set(stream, listener);
				ends.control.closed(() => leave(stream));
				ends.control.listen(() => {});
				if (unwatch) await look(recorder);
				else await begin(recorder);
				if (state.problem) {
					leave(stream);
					return err(state.problem);
				}
				return listeners.has(stream) ? ok() : err({ kind: 'cancelled' });
			},
			async 'system-sound.close'({ stream }) {
				leave(stream);
				return ok();
			},
			async 'system-sound.lower'({ gain }) {
				if (listeners.size > 0) lowering?.lower(gain);
				return ok();
			},
		},
		listening: () => listeners.size + captured.size > 0,
		listen: heardBy.listen,
		closeAll,
		clean: async () => lowering?.clean(),
		async close() {
			closed = true;
			closeAll();
			unwatch?.();
			unwait();
			unreturn?.();
			unagain();
			heardBy.clear();
			await lowering?.close();
		},
	};
}
