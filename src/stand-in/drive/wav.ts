const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;

export interface Sound {
	readonly rate: number;
	/** Mono, -1 to 1. */
	readonly samples: Float32Array;
}

interface Format {
	readonly kind: number;
	readonly channels: number;
	readonly rate: number;
	readonly bytes: number;
}

function readFormat(view: DataView, at: number, size: number): Format {
	const tag = view.getUint16(at, true);
	const kind = tag === EXTENSIBLE && size >= 26 ? view.getUint16(at + 24, true) : tag;
	return {
		kind,
		channels: view.getUint16(at + 2, true),
		rate: view.getUint32(at + 4, true),
		bytes: view.getUint16(at + 14, true) / 8,
	};
}

function sampleReader({ kind, bytes }: Format): ((view: DataView, at: number) => number) | null {
	if (kind === FLOAT && bytes === 4) return (view, at) => view.getFloat32(at, true);
	if (kind === FLOAT && bytes === 8) return (view, at) => view.getFloat64(at, true);
	if (kind !== PCM) return null;
	if (bytes === 1) return (view, at) => (view.getUint8(at) - 128) / 128;
	if (bytes === 2) return (view, at) => view.getInt16(at, true) / 32_768;
	if (bytes === 3) return (view, at) => (view.getUint16(at, true) | (view.getInt8(at + 2) << 16)) / 8_388_608;
	return bytes === 4 ? (view, at) => view.getInt32(at, true) / 2_147_483_648 : null;
}

/**
 * Any PCM or float WAV as mono, channels averaged; or the sentence that says why not. Sizes that are
 * wrong because the file was written as a stream mean "to the end".
 */
export function readWav(file: Uint8Array): Sound | string {
	const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
	const name = (at: number) => String.fromCharCode(...file.subarray(at, at + 4));
	if (file.length < 12 || name(0) !== 'RIFF' || name(8) !== 'WAVE') return 'it is not a WAV file';
	let format: Format | null = null;
	for (let at = 12; at + 8 <= file.length; ) {
		const size = view.getUint32(at + 4, true);
		const start = at + 8;
		if (name(at) === 'fmt ' && start + 16 <= file.length) format = readFormat(view, start, size);
		if (name(at) === 'data')
			return readSamples(view, format, start, Math.min(size || file.length, file.length - start));
		at = start + size + (size % 2);
	}
	return 'it has no sound in it';
}

function readSamples(view: DataView, format: Format | null, start: number, size: number): Sound | string {
	if (!format || format.channels === 0 || format.rate < 1000 || format.rate > 768_000)
		return 'its header makes no sense';
	const read = sampleReader(format);
	if (!read) return 'only PCM and float WAV can be read';
	const { channels, bytes, rate } = format;
	const frames = Math.floor(size / (channels * bytes));
	if (frames === 0) return 'it has no sound in it';
	const samples = new Float32Array(frames);
	for (let frame = 0; frame < frames; frame++) {
		let sum = 0;
		for (let channel = 0; channel < channels; channel++) {
			const value = read(view, start + (frame * channels + channel) * bytes);
			sum += Number.isFinite(value) ? value : 0;
		}
		samples[frame] = sum / channels;
	}
	return { rate, samples };
}

/** Mono 16-bit PCM WAV. */
export function writeWav(rate: number, pcm: Int16Array): Uint8Array {
	const file = new Uint8Array(44 + pcm.length * 2);
	const view = new DataView(file.buffer);
	const text = (at: number, value: string) => file.set(new TextEncoder().encode(value), at);
	text(0, 'RIFF');
	view.setUint32(4, file.length - 8, true);
	text(8, 'WAVEfmt ');
	view.setUint32(16, 16, true);
	view.setUint16(20, PCM, true);
	view.setUint16(22, 1, true);
	view.setUint32(24, rate, true);
	view.setUint32(28, rate * 2, true);
	view.setUint16(32, 2, true);
	view.setUint16(34, 16, true);
	text(36, 'data');
	view.setUint32(40, pcm.length * 2, true);
	for (let index = 0; index < pcm.length; index++) view.setInt16(44 + index * 2, pcm[index] ?? 0, true);
	return file;
}

/** The sound as 16-bit samples with silence before and after it, s. */
export function padded({ rate, samples }: Sound, beforeS: number, afterS: number): Int16Array {
	const before = Math.round(beforeS * rate);
	const pcm = new Int16Array(before + samples.length + Math.round(afterS * rate));
	for (let index = 0; index < samples.length; index++) {
		const value = Math.max(-1, Math.min(1, samples[index] ?? 0));
		pcm[before + index] = Math.round(value * 32_767);
	}
	return pcm;
}
