/** Whether somebody speaks, from levels alone. */
export interface VoiceActivity {
	/** One step of `durationMs` at a linear RMS `level`; true while speech is heard. */
	hear(level: number, durationMs: number): boolean;
	/** How long it has been quiet, ms; 0 while speech is heard. */
	readonly silenceMs: number;
}

/** Quieter is never speech (about −48 dBFS). */
const LEAST = 0.004;
/** Speech stands out of the noise by at least this factor (10 dB). */
const ABOVE_NOISE = 3;
/** Once speaking, it may fall to this share of the threshold (4.4 dB). */
const RELEASE = 0.6;
/** Shorter sounds are clicks. */
const ONSET_MS = 60;
/** The floor follows quiet fast and noise slowly, so that speech does not become the noise. */
const FALL_MS = 300;
const RISE_MS = 30_000;
/** The floor never rises above this: louder than it times three is always speech. */
const FLOOR_MAX = 0.02;

export function createVoiceActivity(): VoiceActivity {
	let floor = LEAST / ABOVE_NOISE;
	let loudMs = 0;
	let silenceMs = 0;
	let speaking = false;

	function follow(level: number, durationMs: number): void {
		const share = 1 - Math.exp(-durationMs / (level < floor ? FALL_MS : RISE_MS));
		floor = Math.min(FLOOR_MAX, floor + (level - floor) * share);
	}

	return {
		hear(level, durationMs) {
			follow(level, durationMs);
			const threshold = Math.max(LEAST, floor * ABOVE_NOISE);
			if (level >= (speaking ? threshold * RELEASE : threshold)) {
				loudMs += durationMs;
				if (loudMs >= ONSET_MS) speaking = true;
			} else {
				speaking = false;
				loudMs = 0;
			}
			silenceMs = speaking ? 0 : silenceMs + durationMs;
			return speaking;
		},
		get silenceMs() {
			return silenceMs;
		},
	};
}
