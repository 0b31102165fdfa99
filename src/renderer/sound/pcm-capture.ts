import type { Clock } from '#shared/lib/clock.ts';
import type { AudioEngine } from './context.ts';
import { addWorklet, createLentPort } from './worklet.ts';
import url from './worklets/capture.worklet.ts?worker&url';

/** Takes a track's sound as frames of 24 kHz (`CaptureFrame`) to a port, bypassing the page's own thread. */
export interface PcmCapture {
	/** `null` = nothing is sent. The track stays the caller's. */
	setTrack(track: MediaStreamTrack | null): void;
	/** The port is the worklet's from now on. */
	sendTo(port: MessagePort): void;
	close(): void;
}

export function createPcmCapture({
	engine,
	clock,
	lost,
}: {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	/** The worklet has failed: the context was rebuilt, and the port could not be recovered. */
	readonly lost: () => void;
}): PcmCapture {
	let track: MediaStreamTrack | null = null;
	let unuse: (() => void) | null = null;
	const lent = createLentPort(clock, { end: 'end', answer: 'ended' });
	let node: AudioWorkletNode | null = null;
	let source: MediaStreamAudioSourceNode | null = null;
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
		const port = await lent.take();
		if (!port) return closed ? undefined : lost();
		if (gone()) return lent.own(port);
		node = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 1 });
		// A node that leads nowhere is not run; its output is silence.
		node.connect(context.destination);
		node.port.start();
		node.port.postMessage('to', [port]);
		connect();
	}

	return {
		setTrack(next) {
			track = next;
			connect();
		},
		sendTo(given) {
			lent.own(given);
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
					return ended ? lent.recall(ended) : undefined;
				};
			});
		},
		close() {
			closed = true;
			unuse?.();
			unuse = null;
			lent.close();
		},
	};
}
