import { ECHO_PERIOD_MS, ECHO_WINDOW_MS, type Echo, EchoDetector } from './echo-detector.ts';

/** A second echo counts when it is not the end of the first. */
const APART_MS = 3000;
/** So many make it a loop. */
const LOOP = 2;
/** The voice has spoken for so long while nobody else did, and was not heard: one echo less. */
const UNHEARD_MS = 30_000;
/** Louder, it is speech and not the hum of a voice that is silent, dBFS. */
const SPEECH_DB = -50;
/** So much above the noise of its room the microphone hears somebody or something, dB. */
const ABOVE_NOISE_DB = 6;
/** Quieter rooms are as good as silent, dBFS. */
const QUIETEST_DB = -60;
/** A room that becomes louder is known as such by and by; words are shorter. */
const NOISE_RISES_DB = ECHO_PERIOD_MS / 1000;

/**
 * Whether what the microphone hears of the voice goes round: an echo now and then is none, two within half a minute of
 * voice are. Over is what was not heard for as long, and that is judged only where it could have been: while somebody
 * speaks, the detector finds few echoes. Allocates nothing per reading.
 */
export class EchoLoop {
	readonly #detector = new EchoDetector();
	/** No more than make a loop. */
	#echoes = 0;
	#unheardMs = 0;
	#sinceEchoMs = APART_MS;
	#openMs = 0;
	#noiseDb = 0;
	#wayMs = 0;

	/** It goes round, unless the microphone is shut while the voice speaks. */
	get isLoop(): boolean {
		return this.#echoes >= LOOP;
	}

	/** From the loudspeaker to the microphone, as it was measured last, ms. */
	get wayMs(): number {
		return this.#wayMs;
	}

	/**
	 * The loudness of both in the same moment, dBFS, each `ECHO_PERIOD_MS`. `open`: what the microphone hears is
	 * translated; what it hears while it is shut goes nowhere, and shows only that there would be an echo. Tells when
	 * there is one more echo, or one less.
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
