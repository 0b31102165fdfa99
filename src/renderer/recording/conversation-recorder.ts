import type { AudioEngine } from '#renderer/sound/context.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import { type Mixer, withSelectedVoice } from '#renderer/sound/mixer.ts';
import { addWorklet, createLentPort } from '#renderer/sound/worklet.ts';
import url from '#renderer/sound/worklets/recorder.worklet.ts?worker&url';
import type { Clock } from '#shared/lib/clock.ts';

/** Sample rate of the whole file, Hz. */
export const RECORDED_HZ = 48_000;

/** The audio graph, which exists as long as its context. */
interface Graph {
	readonly context: AudioContext;
	readonly node: AudioWorkletNode;
	readonly inputs: Map<MediaStreamTrack, MediaStreamAudioSourceNode>;
}

export type ConversationRecorder = ReturnType<typeof createConversationRecorder>;

/** Records speech and translation without changing what is heard: sources on the left, voices on the right. */
export function createConversationRecorder({
	engine,
	clock,
	lost,
}: {
	/** Creates contexts that run at `RECORDED_HZ`, whatever the device's rate. */
	readonly engine: AudioEngine;
	readonly clock: Clock;
	/** Called when recording is no longer possible. */
	readonly lost: () => void;
}) {
	/** The tracks of each side: 0 left, 1 right. */
	const tracks = [new Map<object, MediaStreamTrack>(), new Map<object, MediaStreamTrack>()] as const;
	const lent = () => createLentPort(clock, { end: 'end', answer: 'ended' });
	let port: ReturnType<typeof lent> | null = null;
	let graph: Graph | null = null;
	let unuse: (() => void) | null = null;
	let recalled: Promise<void> = Promise.resolve();

	function set(side: 0 | 1, who: object, track: MediaStreamTrack | null): void {
		if (track) tracks[side].set(who, track);
		else tracks[side].delete(who);
		connect();
	}

	/** Updates the graph to match the tracks. */
	function connect(): void {
		if (!graph) return;
		const { context, node, inputs } = graph;
		const wanted = new Map<MediaStreamTrack, 0 | 1>();
		for (const side of [0, 1] as const) for (const track of tracks[side].values()) wanted.set(track, side);
		for (const [track, input] of inputs) {
			if (wanted.has(track)) continue;
			input.disconnect();
			inputs.delete(track);
		}
		for (const [track, side] of wanted) {
			if (inputs.has(track)) continue;
			const input = context.createMediaStreamSource(new MediaStream([track]));
			input.connect(node, 0, side);
			inputs.set(track, input);
		}
	}

	async function build(context: AudioContext, from: () => number, gone: () => boolean): Promise<void> {
		await addWorklet(context, url);
		const held = port;
		if (gone() || !held) return;
		const taken = await held.take();
		if (!taken) return port === held ? lost() : undefined;
		if (gone()) return held.own(taken);
		const node = new AudioWorkletNode(context, 'recorder', {
			numberOfInputs: 2,
			numberOfOutputs: 1,
			channelCount: 1,
			channelCountMode: 'explicit',
			processorOptions: { from: from() },
		});
		// A node that is not connected is not run; its output is silence.
		node.connect(context.destination);
		node.port.start();
		node.port.postMessage('to', [taken]);
		graph = { context, node, inputs: new Map() };
		connect();
	}

	function takeDown(): Promise<void> | undefined {
		const ended = graph;
		graph = null;
		if (!ended) return;
		for (const input of ended.inputs.values()) input.disconnect();
		ended.node.disconnect();
		return port?.recall(ended.node);
	}

	return {
		/** Wraps a source of speech, to record it from `open` to `close`. */
		source(microphone: Microphone): Microphone {
			return {
				...microphone,
				get device() {
					return microphone.device;
				},
				async open() {
					const opened = await microphone.open();
					if (opened.ok) set(0, microphone, opened.value);
					return opened;
				},
				close() {
					set(0, microphone, null);
					microphone.close();
				},
				listen: (tell) =>
					microphone.listen((event) => {
						if (event.type === 'replaced') set(0, microphone, event.track);
						tell(event);
					}),
			};
		},
		/** Wraps a mixer, to record its selected voice, even when it is not heard. */
		voice: (mixer: Mixer): Mixer => withSelectedVoice(mixer, (track) => set(1, mixer, track)),
		/** Sends to `port` (`RecordedFrame`, at `RECORDED_HZ`) until `stop`; `startedMs` is zero, on our clock. */
		start(given: MessagePort, startedMs: number): void {
			port = lent();
			port.own(given);
			unuse = engine.use((context) => {
				let gone = false;
				const from = () => Math.max(0, Math.round(((clock.now() - startedMs) * RECORDED_HZ) / 1000));
				// A stalled context has lost time that was not counted.
				const anchor = () => {
					if (context.state === 'running') graph?.node.port.postMessage(from());
				};
				context.addEventListener('statechange', anchor);
				void build(context, from, () => gone).catch(lost);
				return () => {
					gone = true;
					context.removeEventListener('statechange', anchor);
					const back = takeDown();
					if (back) recalled = back;
					return back;
				};
			});
		},
		/** Resolves when the last piece and the end marker have been sent. */
		async stop(): Promise<void> {
			unuse?.();
			unuse = null;
			await recalled;
			// Send the end marker after all other messages on this port.
			(await port?.take())?.postMessage({ at: 0, samples: null });
			port?.close();
			port = null;
		},
	};
}
