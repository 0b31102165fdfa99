import type { AudioEngine } from '#renderer/audio/context.ts';
import type { Microphone } from '#renderer/audio/microphone.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok } from '#shared/lib/result.ts';

export interface PhraseSource {
	readonly microphone: Microphone;
	/** Plays the file into the open microphone; resolves at its end. False = it could not be played. */
	say(address: string): Promise<boolean>;
}

/** A microphone that hears a recording in place of a room. */
export function createPhraseSource(parts: {
	readonly engine: AudioEngine;
	readonly clock: Clock;
}): PhraseSource {
	let graph: { readonly context: AudioContext; readonly out: MediaStreamAudioDestinationNode } | null = null;
	let leave = () => {};

	function close(): void {
		leave();
		leave = () => {};
		graph = null;
	}

	return {
		microphone: {
			device: '',
			async open() {
				close();
				leave = parts.engine.use((context) => {
					const out = context.createMediaStreamDestination();
					graph = { context, out };
					// Chromium pulls nothing from a node without input, so no packet would leave before the phrase.
					const silence = new ConstantSourceNode(context, { offset: 0 });
					silence.connect(out);
					silence.start();
					return () => {
						silence.disconnect();
						for (const track of out.stream.getTracks()) track.stop();
					};
				});
				const [track] = (graph as PhraseGraph | null)?.out.stream.getAudioTracks() ?? [];
				return track ? ok(track) : err({ kind: 'microphone-failed', device: '', reason: 'no audio context' });
			},
			close,
			setMuted() {},
			listen: () => () => {},
			async apply() {},
		},
		async say(address) {
			const here = graph;
			if (!here) return false;
			try {
				const bytes = await (await fetch(address)).arrayBuffer();
				const node = here.context.createBufferSource();
				node.buffer = await here.context.decodeAudioData(bytes);
				node.connect(here.out);
				const lengthMs = node.buffer.duration * 1000;
				node.start();
				await new Promise<void>((done) => void parts.clock.after(lengthMs, done));
				return graph === here;
			} catch {
				return false;
			}
		},
	};
}

interface PhraseGraph {
	readonly out: MediaStreamAudioDestinationNode;
}
