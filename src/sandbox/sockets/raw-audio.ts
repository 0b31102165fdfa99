import type { RawFormat } from '#shared/protocol/speech-to-text.ts';

/** How samples are laid out in bytes. */
export interface SampleLayout {
	readonly format: RawFormat;
	readonly rateHz: number;
	readonly channels: number;
}

const BYTES: Readonly<Record<RawFormat, number>> = {
	pcm_s16le: 2,
	pcm_s32le: 4,
	pcm_s32be: 4,
	pcm_f32le: 4,
	pcm_f32be: 4,
	mulaw: 1,
	alaw: 1,
};

/** Bytes of one sample of all channels (a frame). */
export function momentBytes({ format, channels }: SampleLayout): number {
	return BYTES[format] * channels;
}

/** Whole frames as mono samples −1..1, channels averaged; bytes left over at the end are not read. */
export function readSamples(bytes: Buffer, layout: SampleLayout): Float32Array {
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
