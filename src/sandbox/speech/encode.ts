import { readOggOpus } from '#sandbox/speech/ogg-opus.ts';
import { runChild } from './child.ts';

/** PCM s16le mono → a whole MP3; null where ffmpeg is not installed or cannot make one. */
export function encodeMp3(pcm: Buffer, rateHz: number): Promise<Buffer | null> {
	return runChild(
		'ffmpeg',
		[...source(rateHz), '-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3', 'pipe:1'],
		pcm,
	);
}

/** PCM s16le mono → 20 ms Opus packets, as the room's clips are; null without ffmpeg. */
export async function encodeOpus(pcm: Buffer, rateHz: number): Promise<readonly Uint8Array[] | null> {
	const opus = ['-c:a', 'libopus', '-b:a', '24k', '-frame_duration', '20', '-f', 'ogg', 'pipe:1'];
	const file = await runChild('ffmpeg', [...source(rateHz), ...opus], pcm);
	const packets = file && readOggOpus(file);
	return packets?.ok && packets.value.length > 0 ? packets.value : null;
}

/** Whether ffmpeg is there and can make MP3. */
export async function canEncodeMp3(): Promise<boolean> {
	return (await encodeMp3(Buffer.alloc(4800), 24_000)) !== null;
}

function source(rateHz: number): readonly string[] {
	return [
		'-hide_banner',
		'-loglevel',
		'error',
		'-f',
		's16le',
		'-ar',
		String(rateHz),
		'-ac',
		'1',
		'-i',
		'pipe:0',
	];
}
