import type { Clock } from '#shared/lib/clock.ts';
import type { AudioEngine } from './context.ts';
import { addWorklet, createLentPort } from './worklet.ts';
import url from './worklets/capture.worklet.ts?worker&url';

export interface PcmCaptureParts {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	/** Called when the context was rebuilt and the worklet's port could not be recovered. */
	readonly lost: () => void;
	/** How much of the latest sound the audio thread keeps until there is a port, ms; default: none. */
	readonly keptMs?: number;
}

export type PcmCapture = ReturnType<typeof createPcmCapture>;

/** Sends a track's sound to a port as 24 kHz frames (`CaptureFrame`), bypassing the page's own thread. */
export function createPcmCapture({ engine, clock, lost, keptMs = 0 }: PcmCaptureParts) {
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
		// A port that arrives meanwhile waits for the node.
		const isKeeping = !hasPort;
		const port = isKeeping ? null : await lent.take();
		if (!isKeeping && !port) return closed ? undefined : lost();
		if (gone()) return port ? lent.own(port) : undefined;
		const processorOptions = { keptMs: isKeeping ? keptMs : 0 };
		node = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 1, processorOptions });
		// A node that is not connected is not run; its output is silence.
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
		/** `null` = sends nothing; while sound is kept, silence is. The caller still owns the track. */
		setTrack(next: MediaStreamTrack | null): void {
			// A new source for the same track would miss a moment of its sound.
			if (next === track) return;
			track = next;
			connect();
		},
		/** Hands the port to the worklet, which sends the kept sound first and keeps no more. */
		sendTo(given: MessagePort): void {
			hasPort = true;
			if (node) node.port.postMessage({ type: 'to' }, [given]);
			else lent.own(given);
			use();
		},
		/** Drops the kept sound except for its last `ms` milliseconds; returns how much remains, ms. */
		keepLast(ms: number): number {
			const lastMs = Math.min(ms, keptMs, clock.now() - keptFromMs);
			node?.port.postMessage({ type: 'keep', lastMs });
			return node ? lastMs : 0;
		},
		close(): void {
			closed = true;
			unuse?.();
			unuse = null;
			lent.close();
		},
	};
}
