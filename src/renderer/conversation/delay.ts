/**
 * The delay gauge (design 3, goals P18): milliseconds from a phrase's first word in the mouth to the
 * first word of its translation in the ear. Pure.
 *
 * Made of what each part reports: how long the service takes until the translation is there, the
 * speech it still has queued, the jitter buffer, and our own output. Whenever a voice sets in after
 * silence, the true delay of that phrase is known, and what the parts left out is corrected.
 */
export interface DelayGauge {
	/** Recent times from the first word to the arrival of the translation, ms, newest last. */
	readonly serviceMs: readonly number[];
	readonly queueMs: number;
	readonly jitterBufferMs: number;
	/** What the sum was found to lack, ms. */
	readonly correctionMs: number;
	/** Starts of phrases that are translated and not heard yet, on the conversation's clock, ms. */
	readonly unheardMs: readonly number[];
	/** Smoothed; null before the first translation. */
	readonly shownMs: number | null;
}

/** Element and output device at rest: one render quantum and the device's own buffer. */
const OUTPUT_MS = 20;
const REMEMBERED = 5;
/** More unheard phrases than this are a voice that will not come (captions only). */
const UNHEARD = 32;
/** Weight of the newest second. */
const SMOOTHING = 0.4;
/** Larger steps are real (a queue dropped by catch-up, a new session): shown at once. */
const JUMP_MS = 2000;

export const noDelay: DelayGauge = {
	serviceMs: [],
	queueMs: 0,
	jitterBufferMs: 0,
	correctionMs: 0,
	unheardMs: [],
	shownMs: null,
};

/** A final translation came at `atMs` for a phrase begun at `startMs`. */
export function translated(gauge: DelayGauge, startMs: number, atMs: number): DelayGauge {
	return {
		...gauge,
		serviceMs: [...gauge.serviceMs, Math.max(0, atMs - startMs)].slice(-REMEMBERED),
		unheardMs: [...gauge.unheardMs, startMs].slice(-UNHEARD),
	};
}

/** The voice set in after silence: the oldest unheard phrase is being heard now. */
export function voiceBegan(gauge: DelayGauge, atMs: number): DelayGauge {
	const [startMs, ...unheardMs] = gauge.unheardMs;
	const sum = sumMs(gauge);
	if (startMs === undefined || sum === null) return gauge;
	const lacking = atMs - startMs - (sum - gauge.correctionMs);
	return { ...gauge, unheardMs, correctionMs: (gauge.correctionMs + lacking) / 2 };
}

/** The voice is silent and nothing is queued: whatever was unheard has been heard in one go. */
export function voiceEnded(gauge: DelayGauge): DelayGauge {
	return gauge.queueMs === 0 ? { ...gauge, unheardMs: [] } : gauge;
}

/** `queueMs` of the language that is heard. */
export function queued(gauge: DelayGauge, queueMs: number): DelayGauge {
	return { ...gauge, queueMs };
}

/** Once a second: the number to show follows the sum. */
export function second(gauge: DelayGauge, jitterBufferMs: number): DelayGauge {
	const next = { ...gauge, jitterBufferMs };
	const sum = sumMs(next);
	if (sum === null) return next;
	const { shownMs } = gauge;
	const jump = shownMs === null || Math.abs(sum - shownMs) > JUMP_MS;
	return { ...next, shownMs: jump ? sum : shownMs + SMOOTHING * (sum - shownMs) };
}

/** Another session: its times are its own; what is shown stays until there are new ones. */
export function otherSession(gauge: DelayGauge): DelayGauge {
	return { ...noDelay, shownMs: gauge.shownMs };
}

function sumMs({ serviceMs, queueMs, jitterBufferMs, correctionMs }: DelayGauge): number | null {
	if (serviceMs.length === 0) return null;
	const sorted = [...serviceMs].sort((a, b) => a - b);
	const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
	return Math.max(0, middle + queueMs + jitterBufferMs + OUTPUT_MS + correctionMs);
}
