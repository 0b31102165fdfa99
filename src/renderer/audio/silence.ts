/** A track that carries silence, frame by frame, for where a track must flow but nothing may be heard. */
export interface Silence {
	readonly track: MediaStreamTrack;
	close(): void;
}

export function createSilence(): Silence {
	const context = new AudioContext({ latencyHint: 'playback' });
	const source = context.createConstantSource();
	source.offset.value = 0;
	const sink = context.createMediaStreamDestination();
	source.connect(sink);
	source.start();
	const track = sink.stream.getAudioTracks()[0];
	if (!track) throw new Error('a stream destination without a track');
	return {
		track,
		close() {
			track.stop();
			source.stop();
			void context.close();
		},
	};
}

/** A track that never carries a frame. A silent track would need an AudioContext, which takes up to 100 ms. */
export function createEmptyTrack(): MediaStreamTrack {
	// Chromium's own; TypeScript's DOM types do not know it.
	const { MediaStreamTrackGenerator: Generator } = globalThis as {
		MediaStreamTrackGenerator?: new (options: { kind: 'audio' }) => MediaStreamTrack;
	};
	if (Generator) return new Generator({ kind: 'audio' });
	const silence = createSilence();
	const track = silence.track.clone();
	silence.close();
	return track;
}
