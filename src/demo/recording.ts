import { openAudio } from '#main/cli/audio-input.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import { activity, padded, type Sound } from '#stand-in/drive/sound.ts';

/** At most ten minutes of what is heard are recorded, and the last words are translated after the end. */
const LONGEST_S = 9 * 60;
/** Anything quieter counts as silence (RMS, about −48 dBFS). */
const LEAST_LEVEL = 0.004;

/** The recording to speak, read as the command line does; else a clause that says why not. */
export async function readRecording(path: string): Promise<Sound | string> {
	const sound = await readSound(path);
	if (typeof sound === 'string') return sound;
	if (sound.samples.length / sound.rate > LONGEST_S) return 'it is longer than nine minutes';
	const spoken = activity(padded(sound, 0, 0), { rate: sound.rate, floor: LEAST_LEVEL });
	return spoken.length === 0 ? 'nothing was said in it: it is silent, or nearly so' : sound;
}

async function readSound(path: string): Promise<Sound | string> {
	const input = await openAudio({ file: path, raw: false }, {});
	if (!input.ok) return input.error.kind === 'file-unreadable' ? input.error.reason : 'it cannot be read';
	const { samples, fault, close } = input.value;
	const rate = SOCKET_AUDIO.sampleRateHz;
	const pieces: Int16Array[] = [];
	let length = 0;
	try {
		for await (const piece of samples) {
			pieces.push(piece);
			length += piece.length;
			if (length / rate > LONGEST_S) break;
		}
	} finally {
		close();
	}
	const all = new Float32Array(length);
	let at = 0;
	for (const piece of pieces) {
		for (const value of piece) all[at++] = value / 32_768;
	}
	return fault() ?? (length === 0 ? 'it has no sound in it' : { rate, samples: all });
}
