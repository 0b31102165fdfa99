import { type Level, measureLevel } from '#shared/audio/level.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { AudioEngine } from './context.ts';

export interface TapParts {
	readonly engine: AudioEngine;
	readonly clock: Clock;
}

/** 25 readings a second: lowers the original within a syllable. */
const PERIOD_MS = 40;

/**
 * Listens to a track beside its path: adds no delay and changes nothing. Each reading covers at
 * least a whole period, so that no sample goes unheard. Works on remote tracks only while an element
 * plays them, muted or not (Chromium gives no samples otherwise). Returns its end.
 */
export function tapLevel(
	parts: TapParts,
	track: MediaStreamTrack,
	heard: (level: Level) => void,
	periodMs = PERIOD_MS,
): () => void {
	return parts.engine.use((context) => {
		const scope = createScope(parts.clock);
		const source = context.createMediaStreamSource(new MediaStream([track]));
		const analyser = context.createAnalyser();
		analyser.fftSize = windowSamples((context.sampleRate * periodMs) / 1000);
		source.connect(analyser);
		const samples = new Float32Array(analyser.fftSize);
		scope.add(() => source.disconnect());
		scope.every(periodMs, () => {
			analyser.getFloatTimeDomainData(samples);
			heard(measureLevel(samples));
		});
		return () => scope.close();
	});
}

/** By then a conversation that starts has its media. */
const AFTER_START_MS = 1000;

/** As `tapLevel`; where that takes a new AudioContext, a little later, so as not to be in the way of a start. */
export function tapLevelLater(
	parts: TapParts,
	track: MediaStreamTrack,
	heard: (level: Level) => void,
	periodMs = PERIOD_MS,
): () => void {
	if (parts.engine.isRunning) return tapLevel(parts, track, heard, periodMs);
	const scope = createScope(parts.clock);
	scope.after(AFTER_START_MS, () => void scope.add(tapLevel(parts, track, heard, periodMs)));
	return () => scope.close();
}

/** The analyser takes powers of two only, 32 to 32768. */
function windowSamples(atLeast: number): number {
	return Math.min(32_768, Math.max(32, 2 ** Math.ceil(Math.log2(atLeast))));
}
