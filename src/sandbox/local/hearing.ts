/** Sampling rate of the recogniser: Hz, mono. */
export const HEARING_HZ = 16_000;
/** Samples per call of the voice activity detector: 32 ms. */
export const WINDOW = 512;

/** Length of a window, ms. */
export const WINDOW_MS = (WINDOW * 1000) / HEARING_HZ;
/**
 * Windows kept from before the detected start of speech: the first sound of a word is too quiet to be detected.
 */
const PRE_ROLL = 12;
/** Length of speech before the first partial text, and between partial texts, ms. */
const FIRST_PARTIAL_MS = 500;
const PARTIAL_MS = 900;
/** After this pause the sentence is decoded in advance; the result is used if the pause continues. */
const SUSPECT_MS = 224;
/**
 * Speech of this length is split at its quietest point, so that the voice can begin before a long sentence
 * ends.
 */
const LONG_MS = 7000;
/** Longest input of Whisper: 30 s. */
const LONGEST_MS = 28_000;
/** A split is at least the first time before the end, and at most the second time earlier, ms. */
const CUT_FROM_END_MS = 400;
const CUT_WITHIN_MS = 4000;
/** Speech shorter than this counts as a cough or a click. */
const LEAST_SPEECH_MS = 200;

/** Whether a window contains speech. */
export interface Detector {
	hear(window: Float32Array): boolean;
	/** How much silence it takes for speech before it reports any, ms. */
	readonly lagMs: number;
	reset(): void;
}

export interface Recogniser {
	/** `languages`: a single language, or the candidates for detection. */
	decode(
		samples: Float32Array,
		languages: readonly string[],
	): { readonly text: string; readonly language: string };
}

export interface HearingRules {
	/** A single language, or several candidates. */
	readonly languages: readonly string[];
	/** Silence that ends a sentence, ms. */
	readonly silenceMs: number;
	/** Whether long speech is split. */
	readonly split: boolean;
	/** True for live speech. A file gets no partial texts. */
	readonly isLive: boolean;
}

/** The recognised beginning of a sentence, or all of it. Times are seconds from the start of the stream. */
export interface Heard {
	/** Counts from 1. */
	readonly sentence: number;
	readonly text: string;
	/** The beginning of the text on which two decodings agree; the whole text if it is final. */
	readonly sure: string;
	readonly language: string;
	readonly startS: number;
	readonly endS: number;
	readonly isFinal: boolean;
}

/**
 * Turns sound into sentences: detects speech, decodes it repeatedly while it continues, and once more when it
 * ends. All work happens within `hear`, which may take as long as a decoding.
 */
export class Hearing {
	readonly #parts: {
		readonly detector: Detector;
		readonly recogniser: Recogniser;
		readonly heard: (heard: Heard) => void;
		/** Whether more sound is already waiting, so that optional work is skipped. */
		readonly isBehind: () => boolean;
	};
	#rules: HearingRules = { languages: ['en'], silenceMs: 700, split: true, isLive: true };
	readonly #window = new Float32Array(WINDOW);
	#windowFill = 0;
	/** Languages of the open sentence: a change applies from the next sentence on. */
	#languages: readonly string[] = [];
	/** The open sentence, or the sound before the next one. */
	readonly #samples = new Float32Array((HEARING_HZ * (LONGEST_MS + 4000)) / 1000);
	#length = 0;
	/** Loudness of each window of `#samples`. */
	readonly #levels: number[] = [];
	#isOpen = false;
	#isSkipping = false;
	#heardMs = 0;
	#sentence = 0;
	#silenceMs = 0;
	#speechMs = 0;
	#partialAtMs = 0;
	#suspected: { readonly text: string; readonly language: string } | null = null;
	/** Words of the previous partial text: those on which both agree are reported as sure. */
	#before: readonly string[] = [];
	#shown = '';

	constructor(parts: {
		readonly detector: Detector;
		readonly recogniser: Recogniser;
		readonly heard: (heard: Heard) => void;
		readonly isBehind: () => boolean;
	}) {
		this.#parts = parts;
	}

	follow(rules: HearingRules): void {
		this.#rules = rules;
	}

	get isLive(): boolean {
		return this.#rules.isLive;
	}

	/** Accepts any number of samples at `HEARING_HZ`. */
	hear(samples: Float32Array): void {
		for (let at = 0; at < samples.length; ) {
			const taken = Math.min(WINDOW - this.#windowFill, samples.length - at);
			this.#window.set(samples.subarray(at, at + taken), this.#windowFill);
			this.#windowFill += taken;
			at += taken;
			if (this.#windowFill < WINDOW) return;
			this.#windowFill = 0;
			this.#hearWindow();
		}
	}

	/** Ends the open sentence now, as silence would. */
	finish(): void {
		if (this.#isOpen) this.#end(this.#suspected);
	}

	/** Drops the open sentence up to the next pause, or to where it would be split. */
	discard(): void {
		this.#isSkipping = this.#isOpen;
		this.#close();
	}

	/** Begins a new stream: times and sentences count from its start. */
	begin(): void {
		this.reset();
		this.#heardMs = 0;
		this.#sentence = 0;
	}

	/** Drops the open sentence: the next sound is a new sentence. */
	reset(): void {
		this.#isSkipping = false;
		this.#close();
		this.#windowFill = 0;
		this.#parts.detector.reset();
	}

	#hearWindow(): void {
		this.#heardMs += WINDOW_MS;
		const isSpeech = this.#parts.detector.hear(this.#window);
		// A pause counts from its beginning, although the detector reports it later.
		if (isSpeech) this.#silenceMs = 0;
		else this.#silenceMs += WINDOW_MS + (this.#silenceMs === 0 ? this.#parts.detector.lagMs : 0);
		if (isSpeech) this.#speechMs += WINDOW_MS;
		if (this.#isSkipping) {
			this.#skip();
			return;
		}
		this.#keep();
		if (!this.#isOpen && isSpeech) this.#open();
		if (this.#isOpen) this.#grow(isSpeech);
	}

	#skip(): void {
		const isLong = this.#rules.split && this.#speechMs >= LONG_MS;
		if (this.#silenceMs < this.#rules.silenceMs && !isLong) return;
		this.#isSkipping = false;
		this.#close();
	}

	/** Appends the window; before a sentence only the last few windows are kept. */
	#keep(): void {
		if (!this.#isOpen && this.#levels.length === PRE_ROLL) {
			this.#samples.copyWithin(0, WINDOW, this.#length);
			this.#length -= WINDOW;
			this.#levels.shift();
		}
		this.#samples.set(this.#window, this.#length);
		this.#length += WINDOW;
		let sum = 0;
		for (const sample of this.#window) sum += sample * sample;
		this.#levels.push(Math.sqrt(sum / WINDOW));
	}

	#open(): void {
		this.#isOpen = true;
		this.#languages = this.#rules.languages;
		this.#sentence += 1;
		this.#speechMs = WINDOW_MS;
		this.#partialAtMs = FIRST_PARTIAL_MS - PARTIAL_MS;
	}

	#close(): void {
		this.#isOpen = false;
		this.#length = 0;
		this.#levels.length = 0;
		this.#speechMs = 0;
		this.#suspected = null;
		this.#before = [];
		this.#shown = '';
	}

	#grow(isSpeech: boolean): void {
		const { silenceMs, split, isLive } = this.#rules;
		if (isSpeech) {
			this.#suspected = null;
			const isDue = isLive && this.#speechMs - this.#partialAtMs >= PARTIAL_MS;
			if (isDue && !this.#parts.isBehind()) this.#tellPartial();
		} else if (this.#silenceMs >= silenceMs) {
			this.#end(this.#suspected);
			return;
		} else if (isLive && this.#silenceMs >= SUSPECT_MS && !this.#suspected)
			this.#suspected = this.#decode(this.#length);
		const lengthMs = this.#levels.length * WINDOW_MS;
		if (lengthMs >= LONGEST_MS || (split && this.#speechMs >= LONG_MS)) this.#cut();
	}

	#tellPartial(): void {
		this.#partialAtMs = this.#speechMs;
		const { text, language } = this.#decode(this.#length);
		const words = text.split(/\s+/).filter((word) => word !== '');
		let agreed = 0;
		while (agreed < words.length && bare(words[agreed]) === bare(this.#before[agreed])) agreed += 1;
		this.#before = words;
		if (text === '' || text === this.#shown) return;
		this.#shown = text;
		this.#tell({ text, language, sure: words.slice(0, agreed).join(' ') }, this.#levels.length, false);
	}

	/** `known` is the text decoded in the pause that ends the sentence. */
	#end(known: { readonly text: string; readonly language: string } | null): void {
		const all = this.#levels.length;
		const silent = Math.min(all, Math.round(this.#silenceMs / WINDOW_MS));
		// As much silence as in the pause: with all of it Whisper is slower, and wrong more often.
		const spare = Math.max(0, silent - Math.ceil(SUSPECT_MS / WINDOW_MS));
		const result =
			this.#speechMs < LEAST_SPEECH_MS
				? { text: '', language: '' }
				: (known ?? this.#decode((all - spare) * WINDOW));
		this.#tell({ ...result, sure: result.text }, Math.max(1, all - silent), true);
		this.#close();
	}

	/** Ends the sentence at its quietest point, and begins the next with the rest. */
	#cut(): void {
		const last = this.#levels.length - Math.round(CUT_FROM_END_MS / WINDOW_MS);
		const first = Math.max(last - Math.round(CUT_WITHIN_MS / WINDOW_MS), 1);
		let at = last;
		let least = Number.POSITIVE_INFINITY;
		for (let index = first; index <= last; index += 1) {
			const level =
				(this.#levels[index - 1] ?? 0) + (this.#levels[index] ?? 0) + (this.#levels[index + 1] ?? 0);
			if (level > least) continue;
			least = level;
			at = index;
		}
		const result = this.#decode(at * WINDOW);
		this.#tell({ ...result, sure: result.text }, at, true);
		const rest = this.#samples.slice(at * WINDOW, this.#length);
		const levels = this.#levels.slice(at);
		this.#close();
		this.#samples.set(rest);
		this.#length = rest.length;
		this.#levels.push(...levels);
		this.#open();
		this.#speechMs = levels.length * WINDOW_MS;
	}

	#decode(length: number): { readonly text: string; readonly language: string } {
		const result = this.#parts.recogniser.decode(this.#samples.subarray(0, length), this.#languages);
		return { ...result, text: withoutInventions(result.text, length / HEARING_HZ) };
	}

	#tell(said: Pick<Heard, 'text' | 'sure' | 'language'>, windows: number, isFinal: boolean): void {
		const startMs = Math.max(0, this.#heardMs - this.#levels.length * WINDOW_MS);
		this.#parts.heard({
			...said,
			sentence: this.#sentence,
			startS: startMs / 1000,
			endS: (startMs + windows * WINDOW_MS) / 1000,
			isFinal,
		});
	}
}

/** Related languages that recognisers confuse, except English, which is rarely mistaken for another. */
const FAMILIES = [
	['es', 'fr', 'it', 'pt', 'ca', 'gl', 'ro', 'la', 'oc'],
	['de', 'nl', 'sv', 'no', 'nn', 'da', 'is', 'af', 'lb', 'yi'],
	['ru', 'uk', 'be', 'pl', 'cs', 'sk', 'bg', 'sr', 'hr', 'bs', 'sl', 'mk'],
	['hi', 'ur', 'mr', 'ne', 'pa', 'bn', 'gu'],
];

/**
 * The most likely of the possible languages if a recogniser found another: a related one, or one other than
 * English.
 */
export function likeliest(found: string, languages: readonly string[]): string {
	const family = FAMILIES.find((all) => all.includes(found)) ?? [];
	return (
		languages.find((language) => family.includes(language)) ??
		languages.find((language) => language !== 'en') ??
		'en'
	);
}

function bare(word = ''): string {
	return word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Text with more characters per second than this is not speech. */
const MOST_CHARACTERS_A_SECOND = 40;
/** A phrase repeated this many times in a row is a loop of the recogniser, not speech. */
const LOOP = 4;

/**
 * Removes text that recognisers invent for noise and silence: sounds in brackets, loops, more text than could
 * be spoken.
 */
export function withoutInventions(text: string, lengthS: number): string {
	const said = text
		.replaceAll(/[[(*♪][^\])*♪]*[\])*♪]/gu, ' ')
		.replaceAll(/\s+/g, ' ')
		.trim();
	if (!/[\p{L}\p{N}]/u.test(said)) return '';
	if (said.length > Math.max(20, lengthS * MOST_CHARACTERS_A_SECOND)) return '';
	return isLoop(said) ? '' : said;
}

function isLoop(text: string): boolean {
	const words = text.split(' ').map(bare);
	for (let size = 1; size <= 6; size += 1) {
		let same = 0;
		for (let at = size; at < words.length; at += 1) {
			same = words[at] === words[at - size] ? same + 1 : 0;
			if (same >= size * (LOOP - 1)) return true;
		}
	}
	return false;
}
