/** Length of the header before the samples. */
export const WAV_HEAD_BYTES = 44;
const MAX_S16 = 32_767;
/** Written where the length is not known yet, as for a pipe. */
const UNKNOWN_BYTES = 0xffff_ffff - WAV_HEAD_BYTES;

export interface WavSound {
	readonly rateHz: number;
	readonly channels: number;
	/** Bytes of samples over all channels; `null` = not known yet. */
	readonly bytes: number | null;
}

/** The header of a WAV of 16-bit samples. */
export function wavHead({ rateHz, channels, bytes }: WavSound): Uint8Array<ArrayBuffer> {
	const head = new Uint8Array(WAV_HEAD_BYTES);
	const view = new DataView(head.buffer);
	const text = (at: number, letters: string) => {
		for (let index = 0; index < letters.length; index += 1)
			view.setUint8(at + index, letters.charCodeAt(index));
	};
	const size = bytes ?? UNKNOWN_BYTES;
	text(0, 'RIFF');
	view.setUint32(4, Math.min(0xffff_ffff, size + WAV_HEAD_BYTES - 8), true);
	text(8, 'WAVEfmt ');
	view.setUint32(16, 16, true);
	view.setUint16(20, 1, true);
	view.setUint16(22, channels, true);
	view.setUint32(24, rateHz, true);
	view.setUint32(28, rateHz * channels * 2, true);
	view.setUint16(32, channels * 2, true);
	view.setUint16(34, 16, true);
	text(36, 'data');
	view.setUint32(40, size, true);
	return head;
}

/** A mono 16-bit WAV file of samples in [-1, 1]; louder ones are clipped. */
export function encodeWav(samples: ArrayLike<number>, rateHz: number): Uint8Array<ArrayBuffer> {
	const length = samples.length * 2;
	const bytes = new Uint8Array(WAV_HEAD_BYTES + length);
	bytes.set(wavHead({ rateHz, channels: 1, bytes: length }));
	const view = new DataView(bytes.buffer);
	for (let index = 0; index < samples.length; index += 1) {
		const sample = Math.min(1, Math.max(-1, samples[index] ?? 0));
		view.setInt16(WAV_HEAD_BYTES + index * 2, Math.round(sample * MAX_S16), true);
	}
	return bytes;
}
