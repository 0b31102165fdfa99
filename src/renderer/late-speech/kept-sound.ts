import type { AudioEngine } from '#renderer/sound/context.ts';
import type { VoiceSlice } from '#shared/sound/voice-ring.ts';

/** A track that plays what was kept at its original pace, with silence before, between and after. */
export interface KeptSound {
	readonly track: MediaStreamTrack;
	/** Resolves at its end: true when all of it was played, false when it was stopped or cannot be. */
	play(slice: VoiceSlice): Promise<boolean>;
	/** Silence from now on. */
	stop(): void;
	close(): void;
}

/** Null: there is no sound system to play it. */
export function openKeptSound(engine: AudioEngine): KeptSound | null {
	let out: MediaStreamAudioDestinationNode | null = null;
	let context: AudioContext | null = null;
	let stop = () => {};
	const leave = engine.use((given) => {
		// A rebuilt context would need another track, so playback ends instead.
		if (out) return () => {};
		const destination = given.createMediaStreamDestination();
		out = destination;
		context = given;
		// Chromium pulls nothing from a node without input.
		const silence = new ConstantSourceNode(given, { offset: 0 });
		silence.connect(destination);
		silence.start();
		return () => {
			stop();
			context = null;
			silence.disconnect();
			for (const track of destination.stream.getTracks()) track.stop();
		};
	});
	const [track] = (out as MediaStreamAudioDestinationNode | null)?.stream.getAudioTracks() ?? [];
	if (!track) {
		leave();
		return null;
	}
	return {
		track,
		play({ samples, rateHz }) {
			stop();
			const here = context;
			const into = out;
			if (!here || !into || samples.length === 0) return Promise.resolve(false);
			const floats = Float32Array.from(samples, (sample) => sample / 32_768);
			const node = here.createBufferSource();
			const buffer = here.createBuffer(1, floats.length, rateHz);
			buffer.copyToChannel(floats, 0);
			floats.fill(0);
			node.buffer = buffer;
			node.connect(into);
			return new Promise((resolve) => {
				const done = (whole: boolean) => {
					stop = () => {};
					node.onended = null;
					node.disconnect();
					resolve(whole);
				};
				node.onended = () => done(true);
				stop = () => {
					node.stop();
					done(false);
				};
				node.start();
			});
		},
		stop: () => stop(),
		close() {
			stop();
			leave();
		},
	};
}
