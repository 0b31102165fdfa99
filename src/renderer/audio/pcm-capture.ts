import type { AudioEngine } from './context.ts';
import { addWorklet } from './worklet-module.ts';
import url from './worklets/capture.worklet.ts?worker&url';

/** Takes a track's sound as frames of 24 kHz (`CaptureFrame`) to a port, past the page's own thread. */
export interface PcmCapture {
	/** `null` = nothing is sent. The track stays the caller's. */
	setTrack(track: MediaStreamTrack | null): void;
	/** The port is the worklet's from now on. */
	sendTo(port: MessagePort): void;
	close(): void;
}

export interface PcmCaptureParts {
	readonly engine: AudioEngine;
	/** It cannot be done (any more): the context was made anew, and the port has gone with the old one. */
	readonly lost: () => void;
}

export function createPcmCapture({ engine, lost }: PcmCaptureParts): PcmCapture {
	let track: MediaStreamTrack | null = null;
	let unuse: (() => void) | null = null;
	let port: MessagePort | null = null;
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
		node = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 1 });
		// A node that leads nowhere is not run; its output is silence.
		node.connect(context.destination);
		if (!port) return lost();
		node.port.postMessage('to', [port]);
		port = null;
		connect();
	}

	return {
		setTrack(next) {
			track = next;
			connect();
		},
		sendTo(given) {
			port = given;
			unuse ??= engine.use((context) => {
				let gone = false;
				void build(context, () => gone || closed).catch(lost);
				return () => {
					gone = true;
					source?.disconnect();
					source = null;
					node?.port.postMessage('end');
					node?.disconnect();
					node = null;
				};
			});
		},
		close() {
			closed = true;
			unuse?.();
			unuse = null;
			port?.close();
		},
	};
}
