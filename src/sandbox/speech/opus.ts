/** RTP clock of Opus, whatever it was sampled at (RFC 7587 4.1). */
export const OPUS_CLOCK_HZ = 48_000;

/** 20 ms of silence: CELT, full band, mono. What an Opus encoder makes of silence. */
export const SILENCE: Uint8Array = Uint8Array.of(0xf8, 0xff, 0xfe);

const SILK_MS = [10, 20, 40, 60] as const;
const CELT_MS = [2.5, 5, 10, 20] as const;

/** Milliseconds of sound in one Opus packet, from its first byte (RFC 6716 3.1); 0 when it is empty. */
export function opusDurationMs(packet: Uint8Array): number {
	const toc = packet[0];
	if (toc === undefined) return 0;
	return frameMs(toc >> 3) * frameCount(toc & 3, packet[1]);
}

function frameMs(config: number): number {
	if (config < 12) return SILK_MS[config & 3] ?? 0;
	if (config < 16) return config & 1 ? 20 : 10;
	return CELT_MS[config & 3] ?? 0;
}

function frameCount(code: number, second: number | undefined): number {
	if (code === 0) return 1;
	if (code < 3) return 2;
	return (second ?? 0) & 0x3f;
}
