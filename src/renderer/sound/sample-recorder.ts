import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { type Level, silence } from '#shared/sound/level.ts';
import type { AudioEngine } from './context.ts';
import { tapLevel } from './level-tap.ts';
import { type CaptureParts, type CaptureSettings, capture } from './microphone-capture.ts';
import { createPcmCapture } from './pcm-capture.ts';

/** Mono 16 bit. */
export interface Take {
	readonly samples: Int16Array;
	readonly rateHz: number;
}

/** A recording under way, with a microphone of its own. */
export interface SampleRecording {
	readonly lengthMs: () => number;
	readonly level: () => Level;
	/** Microphone off at once; everything recorded so far. Calling it again returns the same. */
	stop(): Take;
}

const RATE_HZ = 24_000;

/**
 * Records the microphone through the path of speech to a socket: 24 kHz, mono. `ended` is called when it stops by
 * itself: at `mostMs`, when the device goes away, or when the audio context does for good.
 */
export async function recordSample(
	parts: CaptureParts & { readonly engine: AudioEngine },
	settings: CaptureSettings,
	options: { readonly mostMs: number; readonly signal: AbortSignal; readonly ended: () => void },
): Promise<Result<SampleRecording, Problem>> {
	const captured = await capture(parts, settings, options.signal);
	if (!captured.ok) return captured;
	const { track } = captured.value;
	const frames: Int16Array[] = [];
	const most = Math.floor((options.mostMs / 1000) * RATE_HZ);
	let count = 0;
	let level = silence;
	let take: Take | null = null;

	const showLevel = (heard: Level) => {
		level = heard;
	};
	const untap = tapLevel(parts, track, showLevel);
	const pcm = createPcmCapture({ engine: parts.engine, clock: parts.clock, lost: end });
	const { port1, port2 } = new MessageChannel();
	port1.onmessage = ({ data }) => {
		if (take || !(data instanceof Int16Array)) return;
		frames.push(data);
		count += data.length;
		if (count >= most) end();
	};
	pcm.setTrack(track);
	pcm.sendTo(port2);
	track.addEventListener('ended', end);
	options.signal.addEventListener('abort', stop, { once: true });

	function stop(): Take {
		if (take) return take;
		options.signal.removeEventListener('abort', stop);
		track.removeEventListener('ended', end);
		track.stop();
		untap();
		pcm.close();
		port1.close();
		const samples = new Int16Array(Math.min(count, most));
		let at = 0;
		for (const frame of frames.splice(0)) {
			samples.set(frame.subarray(0, samples.length - at), at);
			at += Math.min(frame.length, samples.length - at);
		}
		take = { samples, rateHz: RATE_HZ };
		return take;
	}

	function end(): void {
		if (take) return;
		stop();
		options.ended();
	}

	return ok({ lengthMs: () => (count / RATE_HZ) * 1000, level: () => (take ? silence : level), stop });
}
