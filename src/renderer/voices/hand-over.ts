import type { Host } from '#renderer/host.ts';
import type { Take } from '#renderer/sound/sound.ts';
import { RECORDING_PIECE_BYTES, type VoiceSample } from '#shared/host/voices.ts';
import { encodeBase64 } from '#shared/lib/base64.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { s16ToFloat } from '#shared/sound/s16le.ts';
import { encodeWav } from '#shared/sound/wav.ts';

/** The longest recording: 24 kHz, 16 bit make 9.6 MB of it, below the service's limit (protocol 7.2). */
export const LONGEST_MS = 200_000;

/** Gives a recording to main as a WAV, piece by piece. After a problem none of it is kept. */
export async function handOver(
	host: Pick<Host, 'ask'>,
	{ samples, rateHz }: Take,
	name: string,
): Promise<Result<VoiceSample, Problem>> {
	const floats = new Float32Array(samples.length);
	s16ToFloat(samples, floats);
	const wav = encodeWav(floats, rateHz);
	const begun = await host.ask('voice.begin-recording', { name });
	if (!begun.ok) return begun;
	const { recording } = begun.value;
	for (let at = 0; at < wav.length; at += RECORDING_PIECE_BYTES) {
		const base64 = encodeBase64(wav.subarray(at, at + RECORDING_PIECE_BYTES));
		const sent = await host.ask('voice.append-recording', { recording, at, base64 });
		if (sent.ok) continue;
		await host.ask('voice.discard-sample', { sample: recording });
		return sent;
	}
	return host.ask('voice.end-recording', { recording });
}
