import { atMost, type Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';

/** A context suspended or interrupted for this long is asked to resume (faults row 88). */
const RESUME_AFTER_MS = 250;
/** A context that is still not running after this long is replaced. */
const REBUILD_AFTER_MS = 1500;
const MAX_REBUILDS_PER_MINUTE = 3;
const MINUTE_MS = 60_000;
/** Longest wait for graphs to be taken apart before their context is closed. */
const UNDO_LIMIT_MS = 2000;
const GESTURES = ['pointerdown', 'keydown'] as const;

type Latency = 'interactive' | 'playback';
type Undo = () => void | Promise<void>;
export type BuildGraph = (context: AudioContext) => Undo;

interface User {
	readonly build: BuildGraph;
	readonly latency: Latency;
	undo: Undo;
}

interface Running {
	readonly context: AudioContext;
	readonly latency: Latency;
	leave(): void;
	end(): Promise<void>;
}

export type AudioEngine = ReturnType<typeof createAudioEngine>;

/** The window's only AudioContext, created anew when the browser closes it: never keep the context. */
export function createAudioEngine(parts: {
	readonly clock: Clock;
	readonly log: Logger;
	/** For tests; default: a real context at the device's own rate. */
	readonly createContext?: (latency: Latency) => AudioContext;
	/** Where to listen for user gestures; default `window`. */
	readonly gestures?: EventTarget;
}) {
	const createContext = parts.createContext ?? ((latencyHint) => new AudioContext({ latencyHint }));
	const gestures = parts.gestures ?? window;
	const users = new Set<User>();
	let running: Running | null = null;
	let sink = '';
	let rebuilds: number[] = [];

	function start(): Running {
		const latency = [...users].some((user) => user.latency === 'interactive') ? 'interactive' : 'playback';
		const context = createContext(latency);
		const scope = createScope(parts.clock);
		let unwatch: () => void = () => {};

		function check(): void {
			unwatch();
			if (context.state === 'running') return;
			const watch = createScope(parts.clock);
			unwatch = () => watch.close();
			// We stop listening before we close a context, so the browser has closed this one.
			if (context.state === 'closed') {
				rebuild(watch);
				return;
			}
			const resume = () => void context.resume().catch(() => {});
			watch.after(RESUME_AFTER_MS, resume);
			watch.after(REBUILD_AFTER_MS, () => rebuild(watch));
			for (const gesture of GESTURES) {
				gestures.addEventListener(gesture, resume);
				watch.add(() => gestures.removeEventListener(gesture, resume));
			}
		}

		context.addEventListener('statechange', check);
		scope.add(() => context.removeEventListener('statechange', check));
		scope.add(() => unwatch());
		if (sink !== '') void applySink(context, sink);
		check();
		return {
			context,
			latency,
			leave: () => scope.close(),
			async end() {
				scope.close();
				if (context.state !== 'closed') await context.close();
			},
		};
	}

	/** `watch` remains open until the stalled context runs again or is abandoned. */
	function rebuild(watch: Scope): void {
		const now = parts.clock.now();
		rebuilds = rebuilds.filter((at) => now - at < MINUTE_MS);
		if (!running) return;
		const [oldest] = rebuilds;
		// Past the limit a new context would fare no better (no permission to play yet, or no sound system). Try
		// again at the next gesture or state change, or else when the minute is over, because no event reports
		// that a sound system is back.
		if (oldest !== undefined && rebuilds.length >= MAX_REBUILDS_PER_MINUTE) {
			watch.after(oldest + MINUTE_MS - now, () => rebuild(watch));
			return;
		}
		rebuilds.push(now);
		parts.log.warn('audio context rebuilt', { state: running.context.state });
		exchange(running);
	}

	function exchange(old: Running): void {
		void endAfter(
			old,
			[...users].map(({ undo }) => undo()),
		);
		running = start();
		for (const user of users) user.undo = user.build(running.context);
	}

	async function endAfter(old: Running, undone: readonly (void | Promise<void>)[]): Promise<void> {
		const slow = undone.filter((one) => one instanceof Promise);
		if (slow.length > 0) {
			old.leave();
			await atMost(parts.clock, UNDO_LIMIT_MS, Promise.allSettled(slow));
		}
		await old.end().catch(() => {});
	}

	return {
		/** True while there is a context; the first user creates it, which blocks the page's thread for up to 100 ms. */
		get isRunning(): boolean {
			return running !== null;
		},
		/**
		 * Builds a graph now and again after every rebuild of the context; `build` returns the function that takes it
		 * apart. The old context is closed after that, which may take a moment. Returns a function that removes the
		 * user. `playback`: the user only measures or keeps sound, which may then arrive in longer pieces at less
		 * cost; the first user that plays sound causes a rebuild of the context.
		 */
		use(build: BuildGraph, latency: Latency = 'interactive'): () => void {
			const user: User = { build, latency, undo: () => {} };
			users.add(user);
			if (running?.latency === 'playback' && latency === 'interactive') exchange(running);
			else {
				running ??= start();
				user.undo = build(running.context);
			}
			return () => {
				if (!users.delete(user)) return;
				const undone = user.undo();
				if (users.size > 0 || !running) return;
				void endAfter(running, [undone]);
				running = null;
			};
		},
		/** Sets the output of everything connected to `destination`; empty = the system default. False = refused. */
		async setSink(deviceId: string): Promise<boolean> {
			if (running && !(await applySink(running.context, deviceId))) return false;
			sink = deviceId;
			return true;
		},
		/** Takes every graph apart and frees the context. It can be used again afterwards. */
		async close(): Promise<void> {
			const undone = [...users].map(({ undo }) => undo());
			users.clear();
			const ending = running;
			running = null;
			if (ending) await endAfter(ending, undone);
		},
	};
}

/** `setSinkId` of contexts is not in TypeScript's DOM types yet. */
async function applySink(context: AudioContext, deviceId: string): Promise<boolean> {
	if (!('setSinkId' in context) || typeof context.setSinkId !== 'function') return deviceId === '';
	try {
		await context.setSinkId(deviceId);
		return true;
	} catch {
		return false;
	}
}
