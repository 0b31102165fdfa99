import type { AudioEngine } from '#renderer/sound/context.ts';
import { addWorklet } from '#renderer/sound/worklet.ts';
import url from '#renderer/sound/worklets/voice-ring.worklet.ts?worker&url';
import { atMost } from '#shared/lib/at-most.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { VoiceSlice } from '#shared/sound/voice-ring.ts';

/** The last part of a voice, in memory only. */
export interface VoiceMemory {
	/** Keeps what comes of this track from now on, heard or not; null: it has gone. */
	follow(track: MediaStreamTrack | null): void;
	/** What came between two moments of our clock, ms; null: nothing is kept. */
	read(fromMs: number, toMs: number): Promise<VoiceSlice | null>;
	/** What was kept so far is overwritten. */
	erase(): void;
}

export interface VoiceMemoryParts {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
	/** How much is kept; default 120, beyond which nobody asks "what did they say?". */
	readonly seconds?: number;
}

const REPLAY_S = 120;

/** By then a conversation that starts has its media. */
const AFTER_START_MS = 1000;
/** A voice that comes back within this time belongs to the same conversation. */
const FORGET_AFTER_MS = 10_000;
/** A context that stands still does not answer. */
const ANSWER_LIMIT_MS = 1000;

export function createVoiceMemory(parts: VoiceMemoryParts): VoiceMemory {
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
		// A node that leads nowhere is not run; its output is silence.
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
		follow,
		erase: () => graph?.node.port.postMessage({ type: 'erase' }),
		async read(fromMs, toMs) {
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
