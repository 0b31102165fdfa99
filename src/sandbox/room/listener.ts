import { OPUS_CLOCK_HZ, opusDurationMs } from '#sandbox/speech/codec.ts';
import type { Clock } from '#shared/lib/clock.ts';

/** One RTP packet of a publisher's audio. */
export interface HeardPacket {
	readonly ssrc: number;
	/** 48 kHz clock, 32 bits. */
	readonly timestamp: number;
	readonly payload: Uint8Array;
	/** RFC 6464: 0 (loudest) to 127 (silence), dB below a full-scale square wave; null if not sent. */
	readonly levelDb: number | null;
}

/**
 * Another track is used once the current one has sent nothing for this long:
 * one input at a time (protocol 4.2).
 */
const SOURCE_HOLD_MS = 1000;

/** Largest packet of an encoder that stops sending in silence (DTX): it announces this with a header only. */
const DTX_BYTES = 2;
/** DTX silence is reported in steps of this length. */
const PAUSE_STEP_MS = 100;
/** DTX sends a packet every 400 ms; after this long without one, the microphone is gone. */
const GONE_MS = 1000;

/** Size of a quiet 20 ms Opus packet: silence takes a few bytes, speech at 32 kbit/s about 80. */
const QUIET_BYTES_PER_20_MS = 14;
const LOUD_BYTES_PER_20_MS = 80;

interface Source {
	readonly ssrc: number;
	readonly lastMs: number;
	/** RTP time at the end of the last packet. */
	readonly endTimestamp: number;
	readonly dtx: boolean;
	/** Silence reported since the last packet, ms. */
	toldMs: number;
}

/** Turns packets into levels, and DTX pauses into silence; a late packet is no pause. */
export function createListener(
	clock: Clock,
	ears: { hear(level: number, durationMs: number): void; heardPacket(payload: Uint8Array): void },
) {
	let source: Source | null = null;

	function tellPause(upToMs: number): void {
		if (!source?.dtx) return;
		const restMs = Math.min(upToMs, GONE_MS) - source.toldMs;
		if (restMs <= 0) return;
		source.toldMs += restMs;
		ears.hear(0, restMs);
	}

	const stop = clock.every(PAUSE_STEP_MS, () => {
		if (source) tellPause(clock.now() - source.lastMs);
	});

	return {
		heard({ ssrc, timestamp, payload, levelDb }: HeardPacket): void {
			const now = clock.now();
			if (source && source.ssrc !== ssrc && now - source.lastMs < SOURCE_HOLD_MS) return;
			const durationMs = opusDurationMs(payload);
			if (durationMs === 0) return;
			if (source?.ssrc === ssrc) tellPause(msBetween(source.endTimestamp, timestamp));
			source = {
				ssrc,
				lastMs: now,
				endTimestamp: timestamp + durationMs * TICKS_PER_MS,
				dtx: payload.length <= DTX_BYTES,
				toldMs: 0,
			};
			ears.hear(
				levelDb === null ? levelFromSize(payload.length, durationMs) : levelFromDb(levelDb),
				durationMs,
			);
			ears.heardPacket(payload);
		},
		close: stop,
	};
}

const TICKS_PER_MS = OPUS_CLOCK_HZ / 1000;

/** Milliseconds from one RTP time to another, across the 32-bit wrap; negative if the second is earlier. */
function msBetween(from: number, to: number): number {
	return ((to - from) | 0) / TICKS_PER_MS;
}

/** −dBov → RMS, 0..1. */
export function levelFromDb(levelDb: number): number {
	return levelDb >= 127 ? 0 : 10 ** (-levelDb / 20);
}

/** An estimate for clients that send no level: only good enough to distinguish speech from silence. */
export function levelFromSize(bytes: number, durationMs: number): number {
	const per20 = (bytes * 20) / durationMs;
	const share = (per20 - QUIET_BYTES_PER_20_MS) / (LOUD_BYTES_PER_20_MS - QUIET_BYTES_PER_20_MS);
	return Math.min(1, Math.max(0, share)) * 0.2;
}
