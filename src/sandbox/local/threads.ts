import { Worker } from 'node:worker_threads';
import { atMost, type Clock } from '#shared/lib/clock.ts';
import type { EarData, End, FromEar, ToEar } from './ear-worker.ts';
import type { Heard, HearingRules } from './hearing.ts';
import type { FromMouth, MouthData, Request } from './mouth-worker.ts';
import type { Sound, Voicing } from './voice.ts';

/** A thread takes a second or two to load its models; after this time it has failed. */
const START_LIMIT_MS = 30_000;
/**
 * How long a thread may take to exit, ms. It exits by itself, between two calls of native code: if `terminate()`
 * interrupts such a call, sherpa-onnx aborts the whole process. A slower thread runs until the process exits.
 */
const END_LIMIT_MS = 5000;
/**
 * Number of idle threads kept per recogniser for the next conversation: a meeting uses two. Each holds its
 * models in memory.
 */
const KEPT_EARS = 2;

/** Events of a recogniser thread for its conversation. */
export interface EarEvents {
	heard(heard: Heard): void;
	/** All sound before `finish` has been recognised and reported. */
	done(): void;
	/** For a file: this much more of it has been recognised, ms. */
	progress?(ms: number): void;
	/** The recogniser has lagged for some time: this computer is too slow for the model. */
	slow(): void;
	/** The thread has ended unexpectedly. */
	failed(reason: string): void;
}

/**
 * Recognises speech for one conversation at a time in its own thread. Sound waits until the thread's models are
 * loaded.
 */
export interface Ear {
	/** Rejects when the models cannot be loaded: then no speech will be recognised. */
	readonly ready: Promise<void>;
	follow(rules: HearingRules): void;
	/** 16-bit samples, mono. */
	hear(samples: Int16Array, rateHz: number): void;
	finish(): void;
	discard(): void;
	reset(): void;
	/** Returns the thread for reuse: the next conversation need not load the models again. */
	release(): void;
}

/** Translates and speaks in a thread that all conversations share. */
export interface Mouth {
	/** Rejects if the thread fails or a model cannot be read. */
	translate(text: string, route: readonly string[]): Promise<string>;
	/** Resolves when all sound was delivered; there is none if the language has no voice. */
	speak(voicing: Voicing, heard: (sound: Sound) => void): Promise<void>;
}

/** The threads of the local interpreter; idle threads wait for the next conversation. The owner closes them. */
export interface Threads {
	ear(recogniser: string, events: EarEvents): Ear;
	mouth(): Promise<Mouth>;
	/** Resolves when the threads have ended, within some seconds. */
	close(): Promise<void>;
}

interface EarThread {
	readonly worker: Worker;
	readonly ready: Promise<void>;
	events: EarEvents | null;
	/** Number of conversations served so far: results for an earlier one are ignored. */
	conversation: number;
}

export function createThreads(parts: {
	readonly clock: Clock;
	readonly folder: string;
	readonly detector: string;
}): Threads {
	const { folder, detector } = parts;
	const idle = new Map<string, EarThread[]>();
	const all = new Set<Worker>();
	let mouth: Promise<Mouth> | null = null;
	let closed = false;

	function start(name: 'ear-worker' | 'mouth-worker', data: EarData | MouthData): Worker {
		// In the source tree the worker is beside this file; in a build, this file is among the chunks one
		// folder below it.
		const place = import.meta.url.endsWith('.ts') ? `./${name}.ts` : `../${name}.js`;
		const worker = new Worker(new URL(place, import.meta.url), { workerData: data });
		all.add(worker);
		worker.once('exit', () => all.delete(worker));
		return worker;
	}

	function end(worker: Worker): void {
		worker.postMessage({ type: 'end' } satisfies End);
	}

	function whenReady(worker: Worker): Promise<void> {
		return new Promise((done, failed) => {
			const cancel = parts.clock.after(START_LIMIT_MS, () => failed(new Error('did not start in time')));
			const settle = (run: () => void) => () => {
				cancel();
				run();
			};
			worker.once('message', settle(done));
			worker.once('error', (failure) => settle(() => failed(failure))());
			worker.once('exit', (code) => settle(() => failed(new Error(`ended with status ${code}`)))());
		});
	}

	function startEar(recogniser: string): EarThread {
		const worker = start('ear-worker', { folder, recogniser, detector });
		const thread: EarThread = { worker, ready: whenReady(worker), events: null, conversation: 0 };
		thread.ready.catch(() => end(worker));
		// The thread may still fail after it was returned, if its models were not loaded yet.
		worker.once('exit', () => {
			const kept = idle.get(recogniser) ?? [];
			idle.set(
				recogniser,
				kept.filter((one) => one !== thread),
			);
		});
		worker.on('message', (message: FromEar) => {
			if (message.type === 'ready' || message.conversation !== thread.conversation) return;
			if (message.type === 'heard') thread.events?.heard(message.heard);
			else if (message.type === 'slow') thread.events?.slow();
			else if (message.type === 'progress') thread.events?.progress?.(message.ms);
			else thread.events?.done();
		});
		// A thread that fails while loading its models would fail again.
		void thread.ready.then(
			() => worker.on('error', (failure) => thread.events?.failed(failure.message)),
			() => {},
		);
		return thread;
	}

	async function startMouth(): Promise<Mouth> {
		const worker = start('mouth-worker', { folder });
		interface Pending {
			done(message: FromMouth): void;
			failed(reason: Error): void;
			heard?(sound: Sound): void;
		}
		const pending = new Map<number, Pending>();
		let count = 0;
		const fail = (reason: Error): void => {
			mouth = null;
			for (const { failed } of pending.values()) failed(reason);
			pending.clear();
		};
		worker.on('message', (message: FromMouth) => {
			if (message.type === 'ready') return;
			const waiting = pending.get(message.id);
			if (message.type === 'spoken') {
				if (message.sound) waiting?.heard?.(message.sound);
				if (!message.isLast) return;
			}
			pending.delete(message.id);
			if (message.type === 'failed') waiting?.failed(new Error(message.reason));
			else waiting?.done(message);
		});
		worker.on('error', fail);
		worker.on('exit', (code) => fail(new Error(`ended with status ${code}`)));
		await whenReady(worker);

		function ask(message: Request, heard?: (sound: Sound) => void): Promise<FromMouth> {
			return new Promise((done, failed) => {
				pending.set(message.id, { done, failed, ...(heard && { heard }) });
				worker.postMessage(message);
			});
		}

		return {
			async translate(text, route) {
				count += 1;
				const answer = await ask({ type: 'translate', id: count, text, route });
				return answer.type === 'translated' ? answer.text : '';
			},
			async speak(voicing, heard) {
				count += 1;
				await ask({ type: 'speak', id: count, ...voicing }, heard);
			},
		};
	}

	return {
		ear(recogniser, events) {
			const waiting = idle.get(recogniser)?.pop() ?? startEar(recogniser);
			waiting.events = events;
			const tell = (message: ToEar) => waiting.worker.postMessage(message);
			waiting.conversation += 1;
			tell({ type: 'begin', conversation: waiting.conversation });
			return {
				ready: waiting.ready,
				follow: (rules) => tell({ type: 'rules', rules }),
				hear: (samples, rateHz) => tell({ type: 'sound', samples, rateHz }),
				finish: () => tell({ type: 'finish' }),
				discard: () => tell({ type: 'discard' }),
				reset: () => tell({ type: 'reset' }),
				release() {
					if (waiting.events === null) return;
					waiting.events = null;
					if (closed || !all.has(waiting.worker)) return;
					const kept = idle.get(recogniser) ?? [];
					if (kept.length < KEPT_EARS) idle.set(recogniser, [...kept, waiting]);
					else end(waiting.worker);
				},
			};
		},
		mouth() {
			if (!mouth) {
				mouth = startMouth();
				mouth.catch(() => {
					mouth = null;
				});
			}
			return mouth;
		},
		async close() {
			closed = true;
			const left = [...all].map((worker) => {
				end(worker);
				return new Promise((done) => worker.once('exit', done));
			});
			await atMost(parts.clock, END_LIMIT_MS, Promise.all(left));
		},
	};
}
