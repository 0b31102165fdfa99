import type { OpusDecoder } from 'opus-decoder';
import { readWavHead, WAV_TAG } from '#shared/sound/wav.ts';
import { encodeOpus, runChild } from './codec.ts';
import { FRAME_MS, resample, SPEECH_HZ, s16Bytes, s16Of, toFloat, toS16 } from './pcm.ts';
import { espeakName, type Timbre, wordsPerMinute } from './timbre.ts';

/** The note sent after the placeholder was played. */
const PLACEHOLDER_NOTE =
	'The sandbox cannot speak this text: espeak-ng is not installed or lacks the language. Tones take its place.';

const SYLLABLE_MS = 170;

const GAP_MS = 90;

const PAUSE_MS = 320;

const MAX_SYLLABLES = 600;

/** Volume out of 200; louder speech would clip. */
const AMPLITUDE = '70';

/** espeak-ng's variants, appended to a language's voice. */
const VARIANT: Readonly<Record<Timbre, string>> = { low: '', high: '+f2', cloned: '+f4' };

/** Pitch, 0 to 99; 50 is normal. A cloned voice is much higher than the built-in ones, to stand out. */
const PITCH: Readonly<Record<Timbre, string>> = { low: '50', high: '50', cloned: '95' };

/** A text as sound; `note` is set if the sound is not really the text. */
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

/** Maximum number of waiting texts; further ones get the placeholder at once. */
const WAITING_MAX = 64;

export type Synthesizer = ReturnType<typeof createSynthesizer>;

/** Speaks texts and decodes clips. `speak` generates the voice or null; default: espeak-ng, if installed. */
export function createSynthesizer(speak: typeof espeak = espeak) {
	/** Which packets are PCM: their bytes do not show it. */
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

	/** One at a time, because the decoder's state depends on earlier packets. */
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
		const result = speaking.then(() => speak(text, language, options)).finally(() => (waiting -= 1));
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
		/** Speech if espeak-ng is installed, otherwise a placeholder with a note. */
		read,
		/** 20 ms frames of 24 kHz mono PCM, which can replace Opus packets everywhere. */
		frames,
		isFrame: (packet: Uint8Array): boolean => pcm.has(packet),
		/** Like `read`, in frames of PCM for a socket. */
		async readFrames(text: string, language: string, options?: ReadingOptions): Promise<PacketReading> {
			const { samples, rateHz, note } = await read(text, language, options);
			return { packets: frames(toS16(resample(samples, rateHz, SPEECH_HZ))), note };
		},
		/** Like `read`, in Opus for a room; null if espeak-ng or ffmpeg is missing. */
		async readOpus(
			text: string,
			language: string,
			options: ReadingOptions = {},
		): Promise<PacketReading | null> {
			const spoken = await really(text, language, options);
			const packets = spoken && (await encodeOpus(s16Bytes(toS16(spoken.samples)), spoken.rateHz));
			return packets && { packets, note: null };
		},
		/** Frames or Opus packets (not both) as 24 kHz mono samples. */
		samples(packets: readonly Uint8Array[]): Promise<Int16Array> {
			if (packets.every((packet) => pcm.has(packet)))
				return Promise.resolve(s16Of(Buffer.concat([...packets])));
			const known = decoded.get(packets) ?? decode(packets);
			decoded.set(packets, known);
			return known;
		},
		close(): void {
			closed = true;
			void turn.then(async () => (await decoder)?.free()).catch(() => {});
		},
	};
}

interface Spoken {
	readonly samples: Float32Array;
	readonly rateHz: number;
}

/** Speaks with espeak-ng; null if it cannot. A separate process, never linked: its licence is the GPL. */
export async function espeak(
	text: string,
	language: string,
	options: { readonly timbre?: Timbre; readonly tempo?: number } = {},
): Promise<Spoken | null> {
	const code = language.toLowerCase();
	if (!/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/.test(code)) return null;
	const name = espeakName(code);
	const speed = wordsPerMinute(options.tempo ?? 1);
	const timbre = options.timbre ?? 'low';
	const args = [
		'-v',
		`${name}${VARIANT[timbre]}`,
		'-p',
		PITCH[timbre],
		'-s',
		String(speed),
		'-a',
		AMPLITUDE,
		'-b',
		'1',
		'--stdin',
		'--stdout',
	];
	const wav = await runChild('espeak-ng', args, Buffer.from(`${text.replaceAll('\0', ' ')}\n`, 'utf8'));
	if (!wav) return null;
	const read = readWavHead(wav);
	const head = read.ok ? read.value : null;
	if (head?.tag !== WAV_TAG.pcm || head.bits !== 16 || head.channels !== 1) return null;
	const samples = toFloat(s16Of(wav.subarray(head.dataAt)));
	return samples.length === 0 ? null : { samples, rateHz: head.rateHz };
}

/** Tones shaped like syllables, one per two letters, with gaps between words, 24 kHz mono. */
export function placeholderVoice(text: string): Float32Array {
	const parts: Float32Array[] = [];
	let syllables = 0;
	for (const word of text.split(/\s+/u)) {
		const letters = [...word.replaceAll(/[^\p{L}\p{N}]/gu, '')];
		for (let at = 0; at < letters.length && syllables < MAX_SYLLABLES; at += 2) {
			syllables += 1;
			parts.push(syllable(letters[at]?.codePointAt(0) ?? 0));
		}
		parts.push(new Float32Array(samplesOf(/[.,!?;:。、？،؟]$/u.test(word) ? PAUSE_MS : GAP_MS)));
	}
	if (syllables === 0) parts.unshift(syllable(0));
	const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
	let at = 0;
	for (const part of parts) {
		out.set(part, at);
		at += part.length;
	}
	return out;
}

function syllable(letter: number): Float32Array {
	const pitchHz = 110 + (letter % 12) * 9;
	const out = new Float32Array(samplesOf(SYLLABLE_MS));
	for (let index = 0; index < out.length; index += 1) {
		const phase = (2 * Math.PI * pitchHz * index) / SPEECH_HZ;
		const shape = Math.sin((Math.PI * index) / out.length);
		out[index] = 0.25 * shape * (Math.sin(phase) + 0.5 * Math.sin(2 * phase) + 0.3 * Math.sin(3 * phase));
	}
	return out;
}

function samplesOf(ms: number): number {
	return Math.round((SPEECH_HZ * ms) / 1000);
}
