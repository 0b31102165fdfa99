import type { Clock } from '#shared/lib/clock.ts';
import { opusDurationMs } from './opus.ts';

/** One RTP packet of a publisher's audio. */
export interface HeardPacket {
	readonly ssrc: number;
	readonly payload: Uint8Array;
	/** RFC 6464: 0 (loudest) to 127 (silence), below the level of a full-scale square wave; null when the client does not say. */
	readonly levelDb: number | null;
}

export interface Listener {
	heard(packet: HeardPacket): void;
}

/** Another track is listened to only when the present one has been still for this long: one input at a time (protocol 4.2). */
const SOURCE_HOLD_MS = 1000;

/** Bytes of a 20 ms Opus packet: silence encodes to a few, speech at 32 kbit/s to about 80. */
const QUIET_BYTES_PER_20_MS = 14;
const LOUD_BYTES_PER_20_MS = 80;

/** Turns a publisher's packets into levels. No packet (DTX, loss) means nothing is heard. */
export function createListener(
	clock: Clock,
	ears: { hear(level: number, durationMs: number): void; heardPacket(payload: Uint8Array): void },
): Listener {
	let source: { ssrc: number; lastMs: number } | null = null;
	return {
		heard({ ssrc, payload, levelDb }) {
			const now = clock.now();
			if (source && source.ssrc !== ssrc && now - source.lastMs < SOURCE_HOLD_MS) return;
			const durationMs = opusDurationMs(payload);
			if (durationMs === 0) return;
			source = { ssrc, lastMs: now };
			ears.hear(
				levelDb === null ? levelFromSize(payload.length, durationMs) : levelFromDb(levelDb),
				durationMs,
			);
			ears.heardPacket(payload);
		},
	};
}

/** −dBov → RMS, 0..1. */
export function levelFromDb(levelDb: number): number {
	return levelDb >= 127 ? 0 : 10 ** (-levelDb / 20);
}

/** A guess for clients that send no level: good enough to tell speech from silence, not more. */
export function levelFromSize(bytes: number, durationMs: number): number {
	const per20 = (bytes * 20) / durationMs;
	const share = (per20 - QUIET_BYTES_PER_20_MS) / (LOUD_BYTES_PER_20_MS - QUIET_BYTES_PER_20_MS);
	return Math.min(1, Math.max(0, share)) * 0.2;
}
