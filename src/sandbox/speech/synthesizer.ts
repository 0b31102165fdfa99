import type { OpusDecoder } from 'opus-decoder';
import { encodeOpus } from './encode.ts';
import { espeak, type Spoken } from './espeak.ts';
import { FRAME_MS, resample, SPEECH_HZ, s16Bytes, s16Of, toS16 } from './pcm.ts';
import { PLACEHOLDER_NOTE, placeholderVoice } from './placeholder.ts';
import type { Timbre } from './timbre.ts';

/** A text as sound; `note` says when that is not really the text. */
export interface Reading extends Spoken {
	readonly note: string | null;
}

/** A text as 20 ms packets for an interpreter. */
export interface PacketReading {
	readonly packets: readonly Uint8Array[];
	readonly note: string | null;
}

export interface ReadingOptions {
	/** Default low. */
	readonly timbre?: Timbre;
	/** 1 is normal. */
	readonly tempo?: number;
	/** Speaks as if espeak-ng were not installed. */
	readonly placeholder?: boolean;
}

/** Makes speech of texts and sound of clips. Its owner closes it. */
export interface Synthesizer {
	/** Really spoken where espeak-ng is installed, else a placeholder that says so. */
	read(text: string, language: string, options?: ReadingOptions): Promise<Reading>;
	/** As `read`, in frames of PCM for a socket. */
	readFrames(text: string, language: string, options?: ReadingOptions): Promise<PacketReading>;
	/** As `read`, in Opus for a room; null where espeak-ng or ffmpeg is missing. */
	readOpus(text: string, language: string, options?: ReadingOptions): Promise<PacketReading | null>;
	/** 20 ms frames of 24 kHz mono PCM, which can be used wherever Opus packets can. */
	frames(samples: Int16Array): readonly Uint8Array[];
	isFrame(packet: Uint8Array): boolean;
	/** Frames or Opus packets (not both) as 24 kHz mono samples. */
	samples(packets: readonly Uint8Array[]): Promise<Int16Array>;
	close(): void;
}

/** Texts that may wait to be spoken; more get the placeholder at once. */
const WAITING_MAX = 64;

export function createSynthesizer(): Synthesizer {
	/** Which packets are PCM: their bytes do not tell. */
	const pcm = new WeakSet<Uint8Array>();
	const decoded = new WeakMap<readonly Uint8Array[], Promise<Int16Array>>();
	let decoder: Promise<OpusDecoder<24_000>> | null = null;
	let turn: Promise<unknown> = Promise.resolve();
	let speaking: Promise<unknown> = Promise.resolve();
	let waiting = 0;
	let closed = false;

	async function openDecoder(): Promise<OpusDecoder<24_000>> {
		const { OpusDecoder } = await import('opus-decoder');
		const made = new OpusDecoder({ sampleRate: SPEECH_HZ, channels: 1 });
		await made.ready;
		return made;
	}

	/** One at a time: the decoder remembers what it decoded last. */
	function decode(packets: readonly Uint8Array[]): Promise<Int16Array> {
		const result = turn.then(async () => {
			if (closed) return new Int16Array(0);
			decoder ??= openDecoder();
			const opened = await decoder;
			await opened.reset();
			const { channelData } = opened.decodeFrames([...packets]);
			return toS16(channelData[0] ?? new Float32Array(0));
		});
		turn = result.catch(() => {});
		return result;
	}

	/** One process at a time, so that a flood of texts does not become a flood of processes. */
	function really(text: string, language: string, options: ReadingOptions): Promise<Spoken | null> {
		if (options.placeholder || closed || waiting >= WAITING_MAX) return Promise.resolve(null);
		waiting += 1;
		const result = speaking.then(() => espeak(text, language, options)).finally(() => (waiting -= 1));
		speaking = result.catch(() => {});
		return result;
	}

	async function read(text: string, language: string, options: ReadingOptions = {}): Promise<Reading> {
		const spoken = await really(text, language, options);
		if (spoken) return { ...spoken, note: null };
		return { samples: placeholderVoice(text), rateHz: SPEECH_HZ, note: PLACEHOLDER_NOTE };
	}

	function frames(samples: Int16Array): readonly Uint8Array[] {
		const size = (SPEECH_HZ * FRAME_MS) / 1000;
		const made: Uint8Array[] = [];
		for (let at = 0; at < samples.length; at += size) {
			const frame = s16Bytes(samples.subarray(at, at + size));
			pcm.add(frame);
			made.push(frame);
		}
		return made;
	}

	return {
		read,
		frames,
		isFrame: (packet) => pcm.has(packet),
		async readFrames(text, language, options) {
			const { samples, rateHz, note } = await read(text, language, options);
			return { packets: frames(toS16(resample(samples, rateHz, SPEECH_HZ))), note };
		},
		async readOpus(text, language, options = {}) {
			const spoken = await really(text, language, options);
			const packets = spoken && (await encodeOpus(s16Bytes(toS16(spoken.samples)), spoken.rateHz));
			return packets && { packets, note: null };
		},
		samples(packets) {
			if (packets.every((packet) => pcm.has(packet)))
				return Promise.resolve(s16Of(Buffer.concat([...packets])));
			const known = decoded.get(packets) ?? decode(packets);
			decoded.set(packets, known);
			return known;
		},
		close() {
			closed = true;
			void turn.then(async () => (await decoder)?.free()).catch(() => {});
		},
	};
}
