import type { VoiceSlice } from '#shared/audio/voice-ring.ts';
import type { AudioEngine } from './context.ts';

/** A track that says what was kept, at the pace it was said at; silence before, between and behind. */
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
		// Made anew in the middle of it, the track would be another: it ends, and so does what is said.
		if (out) return () => {};
		const destination = given.createMediaStreamDestination();
		out = destination;
		context = given;
		// Without any input Chromium takes nothing from it.
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
