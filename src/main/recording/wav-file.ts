import { access, constants, type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { WAV_HEAD_BYTES, wavHead } from '#shared/sound/wav.ts';

const CHANNELS = 2;
const BYTES = 2;
const FRAME = CHANNELS * BYTES;
/** The largest length a WAV header can state. */
const MOST_BYTES = 0xffff_ffff - WAV_HEAD_BYTES;

/** A stereo WAV written as it is recorded: the file on the disk can be played at any moment. */
export interface WavFile {
	/** Writes at a place, in samples of a channel; a gap before it is silence. False: it is full (6 h at 48 kHz). */
	write(at: number, samples: Int16Array): Promise<boolean>;
	/** Makes the header say how long it is now. */
	settle(): Promise<void>;
	close(): Promise<void>;
}

/**
 * Throws when the file cannot be placed there. It is created with the first sound: until then an existing file of that
 * name stays as it was, and nothing is left where nothing was recorded.
 */
export async function createWavFile(path: string, rateHz: number): Promise<WavFile> {
	await access(dirname(path), constants.W_OK);
	await access(path, constants.W_OK).catch((failure: NodeJS.ErrnoException) => {
		if (failure.code !== 'ENOENT') throw failure;
	});
	let file: FileHandle | null = null;
	let bytes = 0;
	let said = 0;

	async function settle(): Promise<void> {
		if (file === null || said === bytes) return;
		said = bytes;
		const header = wavHead({ rateHz, channels: CHANNELS, bytes });
		await file.write(header, 0, WAV_HEAD_BYTES, 0);
	}

	return {
		async write(at, samples) {
			const from = at * FRAME;
			const length = samples.length * BYTES;
			if (from + length > MOST_BYTES) return false;
			const data = Buffer.from(samples.buffer, samples.byteOffset, length);
			const isFirst = file === null;
			file ??= await open(path, 'w', 0o600);
			// A gap is not written: the file system reads it as zeros.
			const { bytesWritten } = await file.write(data, 0, length, WAV_HEAD_BYTES + from);
			if (bytesWritten < length) throw new Error('the disk is full');
			bytes = Math.max(bytes, from + length);
			if (isFirst) await settle();
			return true;
		},
		settle,
		async close() {
			try {
				await settle();
			} finally {
				await file?.close();
			}
		},
	};
}
