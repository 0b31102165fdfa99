/** What the header of a WAV file says. */
export interface WavHeader {
	/** 1 integer, 3 float, 6 A-law, 7 µ-law (RFC 2361). */
	readonly tag: number;
	readonly channels: number;
	readonly rateHz: number;
	readonly bits: number;
	/** Where the samples begin, bytes. */
	readonly dataAt: number;
}

const EXTENSIBLE = 0xfffe;
/** A header longer than this is not accepted. */
export const WAV_HEADER_MAX = 65_536;

/** Null while `bytes` hold no complete header, or are not a WAV at all. */
export function readWavHeader(bytes: Buffer): WavHeader | null {
	if (!isWav(bytes)) return null;
	let format: Omit<WavHeader, 'dataAt'> | null = null;
	for (let at = 12; at + 8 <= bytes.length; ) {
		const name = bytes.toString('latin1', at, at + 4);
		const size = bytes.readUInt32LE(at + 4);
		if (name === 'data') return format && { ...format, dataAt: at + 8 };
		if (name === 'fmt ' && size >= 16 && at + 8 + size <= bytes.length)
			format = readFormat(bytes, at + 8, size);
		at += 8 + size + (size & 1);
	}
	return null;
}

export function isWav(bytes: Buffer): boolean {
	return (
		bytes.length >= 12 &&
		bytes.toString('latin1', 0, 4) === 'RIFF' &&
		bytes.toString('latin1', 8, 12) === 'WAVE'
	);
}

function readFormat(bytes: Buffer, at: number, size: number): Omit<WavHeader, 'dataAt'> {
	const tag = bytes.readUInt16LE(at);
	return {
		tag: tag === EXTENSIBLE && size >= 26 ? bytes.readUInt16LE(at + 24) : tag,
		channels: bytes.readUInt16LE(at + 2),
		rateHz: bytes.readUInt32LE(at + 4),
		bits: bytes.readUInt16LE(at + 14),
	};
}

/** A whole file, 16 bit mono. */
export function writeWav(pcm: Buffer, rateHz: number): Buffer {
	const head = Buffer.alloc(44);
	head.write('RIFF', 0, 'latin1');
	head.writeUInt32LE(36 + pcm.length, 4);
	head.write('WAVEfmt ', 8, 'latin1');
	head.writeUInt32LE(16, 16);
	head.writeUInt16LE(1, 20);
	head.writeUInt16LE(1, 22);
	head.writeUInt32LE(rateHz, 24);
	head.writeUInt32LE(rateHz * 2, 28);
	head.writeUInt16LE(2, 32);
	head.writeUInt16LE(16, 34);
	head.write('data', 36, 'latin1');
	head.writeUInt32LE(pcm.length, 40);
	return Buffer.concat([head, pcm]);
}
