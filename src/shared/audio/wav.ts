const HEADER_BYTES = 44;
const MAX_S16 = 32_767;

/** A mono 16-bit WAV file of samples in [-1, 1]; louder ones are clipped. */
export function encodeWav(samples: ArrayLike<number>, rateHz: number): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(HEADER_BYTES + samples.length * 2);
	const view = new DataView(bytes.buffer);
	const text = (at: number, letters: string) => {
		for (let index = 0; index < letters.length; index += 1)
			view.setUint8(at + index, letters.charCodeAt(index));
	};
	text(0, 'RIFF');
	view.setUint32(4, bytes.length - 8, true);
	text(8, 'WAVEfmt ');
	view.setUint32(16, 16, true);
	view.setUint16(20, 1, true);
	view.setUint16(22, 1, true);
	view.setUint32(24, rateHz, true);
	view.setUint32(28, rateHz * 2, true);
	view.setUint16(32, 2, true);
	view.setUint16(34, 16, true);
	text(36, 'data');
	view.setUint32(40, samples.length * 2, true);
	for (let index = 0; index < samples.length; index += 1) {
		const sample = Math.min(1, Math.max(-1, samples[index] ?? 0));
		view.setInt16(HEADER_BYTES + index * 2, Math.round(sample * MAX_S16), true);
	}
	return bytes;
}
