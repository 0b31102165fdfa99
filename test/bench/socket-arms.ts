import { createPacer } from '#main/streaming/pacer.ts';
import { VoiceStream } from '#shared/sound/voice-stream.ts';

/** One way of talking over a socket: speech in at the mouth, speech out at the ear. Time comes with each call. */
export interface SocketArm {
	readonly chunkMs: number;
	/** 20 ms of captured speech, 24 kHz. */
	capture(samples: Int16Array, nowMs: number): void;
	/** A chunk that leaves now; null = none. */
	leaving(nowMs: number): Int16Array | null;
	/** A chunk comes back. */
	arrived(samples: Int16Array, nowMs: number): void;
	/** Fills `out` at 48 kHz. */
	play(out: Float32Array, nowMs: number): void;
	/** How often something was late and the sound before it was held instead of stopping. */
	hidden(): number;
}

/** The parts that ship: pacer, queue, time-stretch. */
export function ourArm(chunkMs: number): SocketArm {
	const pacer = createPacer({ chunkMs });
	const voice = new VoiceStream(48_000);
	let sequence = 0;
	pacer.enter('flowing', 0);
	return {
		chunkMs,
		capture: (samples, nowMs) => pacer.push(samples, nowMs),
		leaving: (nowMs) => pacer.take(nowMs),
		arrived(samples, nowMs) {
			voice.push({ transcriptionId: 's', partId: '0', sequence, last: false, samples }, nowMs);
			sequence += 1;
		},
		play: (out, nowMs) => voice.read(out, nowMs),
		hidden: () => voice.state(0).hidden,
	};
}

/** A client as they are commonly written: chunks as they fill, played as they come, no policy at all. */
export function plainArm(chunkMs: number): SocketArm {
	let filling: number[] = [];
	let full: Int16Array[] = [];
	let waiting: Int16Array[] = [];
	let at = 0;
	return {
		chunkMs,
		capture(samples) {
			filling.push(...samples);
			if (filling.length < chunkMs * 24) return;
			full.push(Int16Array.from(filling.slice(0, chunkMs * 24)));
			filling = filling.slice(chunkMs * 24);
		},
		leaving() {
			const [next = null] = full;
			full = full.slice(1);
			return next;
		},
		arrived(samples) {
			waiting = [...waiting, samples];
		},
		play(out) {
			for (let index = 0; index < out.length; index += 1) {
				const [piece] = waiting;
				out[index] = (piece?.[at >> 1] ?? 0) / 32_768;
				if (!piece) continue;
				at += 1;
				if (at >> 1 < piece.length) continue;
				waiting = waiting.slice(1);
				at = 0;
			}
		},
		hidden: () => 0,
	};
}
