/** One loudness of microphone and voice every so often; both at the same moments. */
export const ECHO_PERIOD_MS = 40;

/** What is compared: long enough that two people who speak at once do not look alike. */
const WINDOW = 100;
/** The way from loudspeaker to microphone, with all buffers: 0 to 800 ms. */
const LAGS = 21;
/** Compared every 400 ms. */
const EVERY = 10;
/** Speech against other speech seldom reaches 0.5; an echo in a room is above 0.8. */
const ALIKE = 0.75;
/** So often in a row, with the same delay, give or take 80 ms. */
const TIMES = 3;
const LAG_SLACK = 2;
/** Loudness below this is noise to us; what is above is as loud as can be. */
const FLOOR_DB = -60;
const TOP_DB = -6;
/** A voice that does not move tells nothing. */
const LEAST_SPREAD_DB = 5;

export interface Echo {
	/** From the loudspeaker to the microphone. */
	readonly delayMs: number;
	/** −1 to 1. */
	readonly likeness: number;
}

/**
 * Finds in what the microphone hears the voice we play: the rises and falls of their loudness are compared at
 * every delay an echo can have. Costs a few thousand multiplications each 400 ms and allocates nothing.
 */
export class EchoDetector {
	readonly #voice = new Float32Array(WINDOW + LAGS);
	readonly #heard = new Float32Array(WINDOW + LAGS);
	#filled = 0;
	#since = 0;
	#lag = -1;
	#times = 0;

	/** dBFS of the two in the same moment. An echo is told once each time it has become certain. */
	push(voiceDb: number, heardDb: number): Echo | null {
		shift(this.#voice, clamp(voiceDb));
		shift(this.#heard, clamp(heardDb));
		this.#filled = Math.min(this.#filled + 1, WINDOW + LAGS);
		this.#since += 1;
		if (this.#filled < WINDOW + LAGS || this.#since < EVERY) return null;
		this.#since = 0;
		return this.#compare();
	}

	reset(): void {
		this.#filled = 0;
		this.#since = 0;
		this.#times = 0;
		this.#lag = -1;
	}

	#compare(): Echo | null {
		let best = 0;
		let at = -1;
		for (let lag = 0; lag < LAGS; lag += 1) {
			const likeness = this.#likeness(lag);
			if (likeness > best) [best, at] = [likeness, lag];
		}
		if (best < ALIKE) {
			this.#times = 0;
			return null;
		}
		this.#times = Math.abs(at - this.#lag) <= LAG_SLACK ? this.#times + 1 : 1;
		this.#lag = at;
		if (this.#times < TIMES) return null;
		this.#times = 0;
		return { delayMs: at * ECHO_PERIOD_MS, likeness: best };
	}

	/** Correlation of the newest window of what is heard with the voice `lag` readings before; 0 where nothing moves. */
	#likeness(lag: number): number {
		let [sumV, sumH, sumVV, sumHH, sumVH] = [0, 0, 0, 0, 0];
		for (let i = 0; i < WINDOW; i += 1) {
			const v = this.#voice[LAGS - lag + i] ?? FLOOR_DB;
			const h = this.#heard[LAGS + i] ?? FLOOR_DB;
			sumV += v;
			sumH += h;
			sumVV += v * v;
			sumHH += h * h;
			sumVH += v * h;
		}
		const spreadV = sumVV / WINDOW - (sumV / WINDOW) ** 2;
		const spreadH = sumHH / WINDOW - (sumH / WINDOW) ** 2;
		if (spreadV < LEAST_SPREAD_DB ** 2 || spreadH < LEAST_SPREAD_DB ** 2) return 0;
		return (sumVH / WINDOW - (sumV / WINDOW) * (sumH / WINDOW)) / Math.sqrt(spreadV * spreadH);
	}
}

function clamp(db: number): number {
	return Number.isFinite(db) ? Math.min(TOP_DB, Math.max(FLOOR_DB, db)) : FLOOR_DB;
}

/** The newest stands last. */
function shift(values: Float32Array, next: number): void {
	values.copyWithin(0, 1);
	values[values.length - 1] = next;
}
