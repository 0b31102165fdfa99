import type { Clock } from '#shared/lib/clock.ts';
import type { AudioEngine } from './context.ts';
import { addWorklet, createLentPort } from './worklet.ts';
import url from './worklets/capture.worklet.ts?worker&url';

/** Takes a track's sound as frames of 24 kHz (`CaptureFrame`) to a port, bypassing the page's own thread. */
export interface PcmCapture {
	/** `null` = nothing is sent, and silence is kept. The track stays the caller's. */
	setTrack(track: MediaStreamTrack | null): void;
	/** The port is the worklet's from now on. What was kept leaves first, and nothing is kept any more. */
	sendTo(port: MessagePort): void;
	/** Drops what was kept except for the last so many ms; returns how much that leaves, ms. */
	keepLast(ms: number): number;
	close(): void;
}

export interface PcmCaptureParts {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	/** The worklet has failed: the context was rebuilt, and the port could not be recovered. */
	readonly lost: () => void;
	/** Until there is a port the last so many ms are kept, on the audio thread; default: nothing. */
	readonly keptMs?: number;
}

export function createPcmCapture({ engine, clock, lost, keptMs = 0 }: PcmCaptureParts): PcmCapture {
	let track: MediaStreamTrack | null = null;
	let unuse: (() => void) | null = null;
	const lent = createLentPort(clock, { end: { type: 'end' }, answer: 'ended' });
	let node: AudioWorkletNode | null = null;
	let source: MediaStreamAudioSourceNode | null = null;
	let hasPort = false;
	let keptFromMs = clock.now();
	let closed = false;

	function connect(): void {
		source?.disconnect();
		source = null;
		if (!node || !track) return;
		source = (node.context as AudioContext).createMediaStreamSource(new MediaStream([track]));
		source.connect(node);
	}

	async function build(context: AudioContext, gone: () => boolean): Promise<void> {
		await addWorklet(context, url);
		if (gone()) return;
		// A port that comes meanwhile waits for the node.
		const isKeeping = !hasPort;
		const port = isKeeping ? null : await lent.take();
		if (!isKeeping && !port) return closed ? undefined : lost();
		if (gone()) return port ? lent.own(port) : undefined;
		const processorOptions = { keptMs: isKeeping ? keptMs : 0 };
		node = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 1, processorOptions });
		// A node that leads nowhere is not run; its output is silence.
		node.connect(context.destination);
		node.port.start();
		keptFromMs = clock.now();
		if (port) node.port.postMessage({ type: 'to' }, [port]);
		connect();
	}

	function use(): void {
		unuse ??= engine.use((context) => {
			let gone = false;
			void build(context, () => gone || closed).catch(lost);
			return () => {
				gone = true;
				source?.disconnect();
				source = null;
				const ended = node;
				node = null;
				ended?.disconnect();
				if (hasPort) return ended ? lent.recall(ended) : undefined;
				ended?.port.postMessage({ type: 'end' });
			};
		});
	}

	if (keptMs > 0) use();

	return {
		setTrack(next) {
			// Another source for the same track would miss a moment of it.
			if (next === track) return;
			track = next;
			connect();
		},
		sendTo(given) {
			hasPort = true;
			if (node) node.port.postMessage({ type: 'to' }, [given]);
			else lent.own(given);
			use();
		},
		keepLast(ms) {
			const lastMs = Math.min(ms, keptMs, clock.now() - keptFromMs);
			node?.port.postMessage({ type: 'keep', lastMs });
			return node ? lastMs : 0;
		},
		close() {
			closed = true;
			unuse?.();
			unuse = null;
			lent.close();
		},
	};
}
