import type { Clock } from '#shared/lib/clock.ts';
import type { RawFormat } from '#shared/protocol/speech-to-text.ts';
import { isWav, readWavHead, WAV_TAG, type WavHead } from '#shared/sound/wav.ts';

const BYTES: Readonly<Record<RawFormat, number>> = {
	pcm_s16le: 2,
	pcm_s32le: 4,
	pcm_s32be: 4,
	pcm_f32le: 4,
	pcm_f32be: 4,
	mulaw: 1,
	alaw: 1,
};

/** Raw samples, a WAV file in pieces, or a format that we cannot decode. */
export type Sound =
	| { readonly kind: 'raw'; readonly layout: SampleLayout }
	| { readonly kind: 'wav' | 'opaque' };

/** Levels are reported in steps of this length. */
const STEP_MS = 20;
/** Sound that cannot be decoded counts as speech of this level. */
const OPAQUE_LEVEL = 0.1;
const OPAQUE_MAX_MS = 1000;
/** A WAV header longer than this is not accepted, bytes. */
const WAV_HEAD_MAX = 65_536;

export type SoundInput = ReturnType<typeof createSoundInput>;

/**
 * Processes the audio bytes that a client sends.
 * `heard` receives linear RMS 0..1 and the samples of each 20 ms (empty for an unknown format), in order. Bytes
 * of an incomplete sample wait for the rest.
 */
export function createSoundInput(
	sound: Sound,
	clock: Clock,
	heard: (level: number, durationMs: number, samples: Float32Array, rateHz: number) => void,
) {
	let layout: SampleLayout | null = sound.kind === 'raw' ? sound.layout : null;
	let opaque = sound.kind === 'opaque';
	let rest: Buffer = Buffer.alloc(0);
	let lastAt = clock.now();

	function raw(bytes: Buffer, as: SampleLayout): number {
		const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
		const size = momentBytes(as) * Math.round((as.rateHz * STEP_MS) / 1000);
		let at = 0;
		for (; at + size <= all.length; at += size) {
			const samples = readSamples(all.subarray(at, at + size), as);
			heard(rms(samples), STEP_MS, samples, as.rateHz);
		}
		rest = Buffer.from(all.subarray(at));
		return (bytes.length / momentBytes(as) / as.rateHz) * 1000;
	}

	function guess(): number {
		const now = clock.now();
		const passed = Math.min(OPAQUE_MAX_MS, Math.max(STEP_MS, now - lastAt));
		lastAt = now;
		for (let told = STEP_MS; told <= passed; told += STEP_MS)
			heard(OPAQUE_LEVEL, STEP_MS, new Float32Array(0), 0);
		return passed;
	}

	/** The header may arrive in pieces; until it is complete, no sound is processed. */
	function unpack(bytes: Buffer): number {
		rest = Buffer.concat([rest, bytes]);
		const read = readWavHead(rest);
		const head = read.ok ? read.value : null;
		const found = head && layoutOf(head);
		if (found && head) {
			layout = found;
			const body = rest.subarray(head.dataAt);
			rest = Buffer.alloc(0);
			return raw(body, found);
		}
		if (!read.ok || head || rest.length > WAV_HEAD_MAX) opaque = true;
		return opaque ? guess() : 0;
	}

	return {
		/**
		 * Returns the length of the sound in these bytes, ms; for an unknown format, the time since the last call.
		 */
		hear(bytes: Buffer): number {
			if (opaque) return guess();
			// A client may send a complete small file each time.
			if (sound.kind === 'wav' && isWav(bytes)) {
				layout = null;
				rest = Buffer.alloc(0);
			}
			return layout ? raw(bytes, layout) : unpack(bytes);
		},
	};
}

function rms(samples: Float32Array): number {
	let sum = 0;
	for (const sample of samples) sum += sample * sample;
	return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length);
}

function layoutOf({ tag, channels, rateHz, bits }: WavHead): SampleLayout | null {
	const format = formatOf(tag, bits);
	if (!format || channels < 1 || channels > 8 || rateHz < 4000 || rateHz > 192_000) return null;
	return { format, channels, rateHz };
}

function formatOf(tag: number, bits: number): RawFormat | null {
	if (tag === WAV_TAG.pcm) return bits === 16 ? 'pcm_s16le' : bits === 32 ? 'pcm_s32le' : null;
	if (tag === WAV_TAG.float) return bits === 32 ? 'pcm_f32le' : null;
	if (bits !== 8) return null;
	return tag === WAV_TAG.mulaw ? 'mulaw' : tag === WAV_TAG.alaw ? 'alaw' : null;
}

/** The byte layout of samples. */
interface SampleLayout {
	readonly format: RawFormat;
	readonly rateHz: number;
	readonly channels: number;
}

/** Bytes of one sample of all channels (a frame). */
function momentBytes({ format, channels }: SampleLayout): number {
	return BYTES[format] * channels;
}

/** Converts whole frames to mono samples −1..1, averaging channels; ignores remaining bytes at the end. */
function readSamples(bytes: Buffer, layout: SampleLayout): Float32Array {
	const { format, channels } = layout;
	const size = BYTES[format];
	const out = new Float32Array(Math.floor(bytes.length / (size * channels)));
	for (let index = 0; index < out.length; index += 1) {
		let sum = 0;
		for (let channel = 0; channel < channels; channel += 1) {
			sum += readSample(bytes, (index * channels + channel) * size, format);
		}
		const sample = sum / channels;
		out[index] = Number.isFinite(sample) ? Math.max(-1, Math.min(1, sample)) : 0;
	}
	return out;
}

function readSample(bytes: Buffer, at: number, format: RawFormat): number {
	switch (format) {
		case 'pcm_s16le':
			return bytes.readInt16LE(at) / 0x8000;
		case 'pcm_s32le':
			return bytes.readInt32LE(at) / 0x8000_0000;
		case 'pcm_s32be':
			return bytes.readInt32BE(at) / 0x8000_0000;
		case 'pcm_f32le':
			return bytes.readFloatLE(at);
		case 'pcm_f32be':
			return bytes.readFloatBE(at);
		case 'mulaw':
			return readMulaw(bytes.readUInt8(at));
		case 'alaw':
			return readAlaw(bytes.readUInt8(at));
	}
}

/** ITU-T G.711. */
function readMulaw(coded: number): number {
	const value = ~coded & 0xff;
	const magnitude = ((((value & 0x0f) << 3) + 0x84) << ((value & 0x70) >> 4)) - 0x84;
	return (value & 0x80 ? -magnitude : magnitude) / 0x8000;
}

/** ITU-T G.711. */
function readAlaw(coded: number): number {
	const value = coded ^ 0x55;
	const exponent = (value & 0x70) >> 4;
	const step = ((value & 0x0f) << 4) + 8;
	const magnitude = exponent === 0 ? step : (step + 0x100) << (exponent - 1);
	return (value & 0x80 ? magnitude : -magnitude) / 0x8000;
}
