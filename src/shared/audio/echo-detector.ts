/** One loudness of microphone and voice every so often; both at the same moments. */
export const ECHO_PERIOD_MS = 40;

/** What is compared, readings: 4 s. */
const WINDOW = 100;
/** The way from loudspeaker to microphone, with all buffers: 0 to 800 ms. */
const LAGS = 21;
/** What an echo is found in, with its way. */
const SPAN = WINDOW + LAGS;
export const ECHO_WINDOW_MS = SPAN * ECHO_PERIOD_MS;
/** Compared every 400 ms. */
const EVERY = 10;
/** Measured over hours of speech (`npm run bench -- echo`): unrelated speech reaches it for a moment, an echo stays above. */
const ALIKE = 0.55;
/** So often in a row, with the same delay, give or take 40 ms. */
const TIMES = 3;
const LAG_SLACK = 1;
/** Loudness below this is noise to us; what is above is as loud as can be. */
const FLOOR_DB = -60;
const TOP_DB = -6;
/**
 * What is compared is not loudness but its changes, and none counts for more than this: two people who take turns have
 * long stretches of sound and of silence in common by chance, but not their syllables.
 */
const MOST_CHANGE_DB = 8;
/** A sound that does not move tells nothing. */
const LEAST_CHANGE_DB = 1;

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
	readonly #voice = new Changes();
	readonly #heard = new Changes();
	#filled = 0;
	#since = 0;
	#lag = -1;
	#times = 0;

	/** dBFS of the two in the same moment. An echo is told once each time it has become certain. */
	push(voiceDb: number, heardDb: number): Echo | null {
		this.#voice.push(voiceDb);
		this.#heard.push(heardDb);
		this.#filled = Math.min(this.#filled + 1, 1 + SPAN);
		this.#since += 1;
		if (this.#filled < 1 + SPAN || this.#since < EVERY) return null;
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
		const [voice, heard] = [this.#voice.values, this.#heard.values];
		let [vv, hh, vh] = [0, 0, 0];
		for (let i = LAGS; i < SPAN; i += 1) {
			const v = voice[i - lag] ?? 0;
			const h = heard[i] ?? 0;
			vv += v * v;
			hh += h * h;
			vh += v * h;
		}
		const least = WINDOW * LEAST_CHANGE_DB ** 2;
		return vv < least || hh < least ? 0 : vh / Math.sqrt(vv * hh);
	}
}

/** How loudness changed, dB, at each of the newest readings; the newest stands last. */
class Changes {
	readonly values = new Float32Array(SPAN);
	#before = FLOOR_DB;

	push(db: number): void {
		const loud = Number.isFinite(db) ? within(db, FLOOR_DB, TOP_DB) : FLOOR_DB;
		this.values.copyWithin(0, 1);
		this.values[this.values.length - 1] = within(loud - this.#before, -MOST_CHANGE_DB, MOST_CHANGE_DB);
		this.#before = loud;
	}
}

function within(value: number, least: number, most: number): number {
	return Math.min(most, Math.max(least, value));
}
