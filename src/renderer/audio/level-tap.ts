import { type Level, measureLevel } from '#shared/audio/level.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { AudioEngine } from './context.ts';

/** 43 ms at 48 kHz: longer than a period, so that no sample goes unheard. */
const WINDOW_SAMPLES = 2048;
/** 25 readings a second. */
const PERIOD_MS = 40;

/**
 * Listens to a track beside its path: adds no delay and changes nothing. Works on remote tracks
 * only while an element plays them, muted or not (Chromium gives no samples otherwise). Returns its end.
 */
export function tapLevel(
	parts: { readonly engine: AudioEngine; readonly clock: Clock },
	track: MediaStreamTrack,
	heard: (level: Level) => void,
): () => void {
	return parts.engine.use((context) => {
		const scope = createScope(parts.clock);
		const source = context.createMediaStreamSource(new MediaStream([track]));
		const analyser = context.createAnalyser();
		analyser.fftSize = WINDOW_SAMPLES;
		source.connect(analyser);
		const samples = new Float32Array(WINDOW_SAMPLES);
		scope.add(() => source.disconnect());
		scope.every(PERIOD_MS, () => {
			analyser.getFloatTimeDomainData(samples);
			heard(measureLevel(samples));
		});
		return () => scope.close();
	});
}
