import { ECHO_PERIOD_MS, ECHO_WINDOW_MS, type Echo, EchoDetector } from './echo-detector.ts';

/** A second echo counts only this long after the first, so that it is not the end of it. */
const APART_MS = 3000;
/** This many echoes make a loop. */
const LOOP = 2;
/** After this much voice, with nobody else speaking and no echo heard, one echo is taken off. */
const UNHEARD_MS = 30_000;
/** Louder, it is speech and not the hum of a voice that is silent, dBFS. */
const SPEECH_DB = -50;
/** This far above the noise of its room the microphone hears somebody or something, dB. */
const ABOVE_NOISE_DB = 6;
/** Quieter rooms are as good as silent, dBFS. */
const QUIETEST_DB = -60;
/** The noise estimate rises slowly, so that words do not raise it. */
const NOISE_RISES_DB = ECHO_PERIOD_MS / 1000;

/**
 * Tells whether the echo of the voice makes a loop: an echo now and then does not, two within half a minute of voice
 * do. It ends after as much voice without an echo, counted only where one could have been heard: while somebody speaks,
 * the detector finds few echoes. Allocates nothing per reading.
 */
export class EchoLoop {
	readonly #detector = new EchoDetector();
	/** At most `LOOP`. */
	#echoes = 0;
	#unheardMs = 0;
	#sinceEchoMs = APART_MS;
	#openMs = 0;
	#noiseDb = 0;
	#wayMs = 0;

	/** There is a loop, unless the microphone is closed while the voice speaks. */
	get isLoop(): boolean {
		return this.#echoes >= LOOP;
	}

	/** From the loudspeaker to the microphone, as it was measured last, ms. */
	get wayMs(): number {
		return this.#wayMs;
	}

	/**
	 * Loudness of both at the same moment, dBFS, every `ECHO_PERIOD_MS`. `open`: the microphone's sound is translated;
	 * while it is closed its sound goes nowhere, and shows only that there would be an echo. Returns when there is one
	 * more echo, or one less.
	 */
	push(voiceDb: number, microphoneDb: number, open: boolean): 'heard' | 'gone' | null {
		this.#openMs = open ? this.#openMs + ECHO_PERIOD_MS : 0;
		this.#sinceEchoMs += ECHO_PERIOD_MS;
		const quietest = Math.min(microphoneDb, this.#noiseDb + NOISE_RISES_DB);
		this.#noiseDb = quietest > QUIETEST_DB ? quietest : QUIETEST_DB;
		const echo = this.#detector.push(voiceDb, microphoneDb);
		if (echo) return this.#found(echo);
		const isAlone = voiceDb > SPEECH_DB && microphoneDb < this.#noiseDb + ABOVE_NOISE_DB;
		return this.#echoes > 0 && isAlone ? this.#missed() : null;
	}

	/** Another microphone, another loudspeaker, another conversation. */
	reset(): void {
		this.#detector.reset();
		this.#echoes = 0;
		this.#unheardMs = 0;
		this.#sinceEchoMs = APART_MS;
		this.#openMs = 0;
	}

	#found({ delayMs }: Echo): 'heard' | null {
		this.#unheardMs = 0;
		this.#wayMs = delayMs;
		if (this.isLoop || this.#sinceEchoMs < APART_MS || this.#openMs < ECHO_WINDOW_MS) return null;
		this.#sinceEchoMs = 0;
		this.#echoes += 1;
		return 'heard';
	}

	#missed(): 'gone' | null {
		this.#unheardMs += ECHO_PERIOD_MS;
		if (this.#unheardMs < UNHEARD_MS) return null;
		this.#unheardMs = 0;
		this.#echoes -= 1;
		return 'gone';
	}
}
