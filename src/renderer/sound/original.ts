import type { AudioEngine } from './context.ts';

/** Gain of the original under a speaking voice: about 14 dB down, still there to follow by. */
const DUCKED_GAIN = 0.2;
/** Time constants: down within a syllable, back within about 400 ms (three time constants reach 95 %). */
const ATTACK_S = 0.015;
const RELEASE_S = 0.4 / 3;

/** The original speech, played beside its translation. Silent until it has a track and a volume. */
export interface Original {
	setTrack(track: MediaStreamTrack | null): void;
	/** 0 to 1. */
	setVolume(volume: number): void;
	duck(on: boolean): void;
}

export function createOriginal(engine: AudioEngine): Original {
	let track: MediaStreamTrack | null = null;
	let volume = 0;
	let ducked = false;
	let gain: GainNode | null = null;
	let leave: (() => void) | null = null;

	function target(): number {
		return volume * (ducked ? DUCKED_GAIN : 1);
	}

	function glide(timeConstantS: number): void {
		gain?.gain.setTargetAtTime(target(), gain.context.currentTime, timeConstantS);
	}

	function build(context: AudioContext, from: MediaStreamTrack): () => void {
		const source = context.createMediaStreamSource(new MediaStream([from]));
		const node = context.createGain();
		node.gain.value = target();
		source.connect(node).connect(context.destination);
		gain = node;
		return () => {
			source.disconnect();
			node.disconnect();
			if (gain === node) gain = null;
		};
	}

	function settle(): void {
		const from = track;
		const wanted = from !== null && volume > 0;
		if (wanted && !leave) leave = engine.use((context) => build(context, from));
		if (!wanted && leave) {
			leave();
			leave = null;
		}
	}

	return {
		setTrack(next) {
			if (next === track) return;
			leave?.();
			leave = null;
			track = next;
			settle();
		},
		setVolume(next) {
			volume = next;
			settle();
			glide(ATTACK_S);
		},
		duck(on) {
			if (on === ducked) return;
			ducked = on;
			glide(on ? ATTACK_S : RELEASE_S);
		},
	};
}
