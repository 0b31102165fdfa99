import type { AudioEngine } from '#renderer/sound/context.ts';
import type { Microphone, MicrophoneEvent } from '#renderer/sound/microphone.ts';
import { addWorklet } from '#renderer/sound/worklet.ts';
import url from '#renderer/sound/worklets/system-sound.worklet.ts?worker&url';
import type { Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** What main records of other programs, on its way. */
export interface RecordedSound {
	/** `SoundFrame`s; the worklet's from now on. */
	readonly frames: MessagePort;
	close(): void;
}

export interface SystemSoundParts {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
	/** Null: everything but what this program plays. Asked at each opening. */
	readonly application: () => string | null;
	/** Has main record; `ended` once, when it ends by itself. */
	readonly record: (
		wanted: { readonly application: string | null; readonly rateHz: number },
		ended: (problem: Problem) => void,
	) => Promise<Result<RecordedSound, Problem>>;
}

/** A graph of one audio context; a new context has another. */
interface Graph {
	readonly context: AudioContext;
	readonly node: AudioWorkletNode;
	readonly track: MediaStreamTrack;
}

/** From `open` to `close`. */
interface Holding {
	graph: Graph | null;
	sound: RecordedSound | null;
	/** Number of the current recording; a late answer to an older request is closed. */
	turn: number;
	opened: ((outcome: Result<MediaStreamTrack, Problem>) => void) | null;
	unuse: () => void;
}

/**
 * What other programs play, as a source of speech in place of a microphone (Linux: recorded in main, program by
 * program, so that our own voice is never in it). Silence flows while nothing plays.
 */
export function createSystemSound(parts: SystemSoundParts): Microphone {
	const { engine, log } = parts;
	const listeners = createListeners<[event: MicrophoneEvent]>();
	let holding: Holding | null = null;
	let muted = false;

	function tell(event: MicrophoneEvent): void {
		listeners.tell(event);
	}

	/** Has main record for this graph; the previous recording ends. */
	async function record(held: Holding, { context, node, track }: Graph): Promise<void> {
		held.turn += 1;
		const { turn } = held;
		held.sound?.close();
		held.sound = null;
		const isStale = () => holding !== held || held.turn !== turn;
		const wanted = { application: parts.application(), rateHz: Math.round(context.sampleRate) };
		const recorded = await parts.record(wanted, (problem) => void (isStale() || fail(held, problem)));
		if (isStale()) return recorded.ok ? recorded.value.close() : undefined;
		if (!recorded.ok) return fail(held, recorded.error);
		held.sound = recorded.value;
		node.port.postMessage('frames', [recorded.value.frames]);
		held.opened?.(ok(track));
		held.opened = null;
	}

	function fail(held: Holding, problem: Problem): void {
		const { opened } = held;
		log.warn('system sound failed', { problem: problem.kind });
		held.opened = null;
		if (opened) {
			close();
			opened(err(problem));
			return;
		}
		held.sound?.close();
		held.sound = null;
		tell({ type: 'lost', problem });
	}

	async function build(held: Holding, context: AudioContext, gone: () => boolean): Promise<void> {
		await addWorklet(context, url);
		if (gone()) return;
		const node = new AudioWorkletNode(context, 'system-sound', {
			numberOfInputs: 0,
			outputChannelCount: [1],
		});
		const destination = context.createMediaStreamDestination();
		node.connect(destination);
		const [track] = destination.stream.getAudioTracks();
		if (!track) return fail(held, { kind: 'bug', where: 'system-sound: no track' });
		track.enabled = !muted;
		const isFirst = held.opened !== null;
		held.graph = { context, node, track };
		await record(held, held.graph);
		if (!gone() && !isFirst) tell({ type: 'replaced', track, from: nameOf(), to: nameOf() });
	}

	function takeDown(held: Holding): void {
		held.turn += 1;
		held.sound?.close();
		held.sound = null;
		held.graph?.node.port.postMessage('end');
		held.graph?.node.disconnect();
		held.graph?.track.stop();
		held.graph = null;
	}

	function close(): void {
		const held = holding;
		if (!held) return;
		holding = null;
		takeDown(held);
		held.unuse();
		held.opened?.(err({ kind: 'cancelled' }));
		held.opened = null;
	}

	function nameOf(): string {
		return parts.application() ?? '';
	}

	return {
		async open() {
			if (holding?.graph && !holding.opened) {
				const { graph, sound } = holding;
				if (sound) return ok(graph.track);
				close();
			}
			if (holding) close();
			return new Promise((opened) => {
				const held: Holding = { graph: null, sound: null, turn: 0, opened, unuse: () => {} };
				holding = held;
				held.unuse = engine.use((context) => {
					let gone = false;
					const isGone = () => gone || holding !== held;
					void build(held, context, isGone).catch(() => {
						// Not if its context was given up meanwhile.
						if (!isGone()) fail(held, { kind: 'bug', where: 'system-sound.build' });
					});
					return () => {
						gone = true;
						takeDown(held);
					};
				});
			});
		},
		setMuted(next) {
			muted = next;
			if (holding?.graph) holding.graph.track.enabled = !next;
		},
		close,
		listen: listeners.listen,
		get device() {
			return holding ? nameOf() : '';
		},
		async apply() {
			if (holding?.graph) await record(holding, holding.graph);
		},
	};
}
