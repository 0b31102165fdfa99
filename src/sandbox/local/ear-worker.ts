import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import {
	type Detector,
	HEARING_HZ,
	type Heard,
	Hearing,
	type HearingRules,
	likeliest,
	type Recogniser,
	WINDOW,
	WINDOW_MS,
} from './hearing.ts';
import { Lateness } from './lateness.ts';
import { fileOf } from './models.ts';
import { type LinearResampler, loadSherpa } from './packages.ts';

type Order =
	| { readonly type: 'rules'; readonly rules: HearingRules }
	/** 16-bit samples, mono. */
	| { readonly type: 'sound'; readonly samples: Int16Array; readonly rateHz: number }
	/** Confirms the open sentence; `done` follows when all its text was reported. */
	| { readonly type: 'finish' }
	| { readonly type: 'discard' }
	/** A new conversation; all its results include its number. */
	| { readonly type: 'begin'; readonly conversation: number }
	| { readonly type: 'reset' };

/** Messages to the recogniser's thread. */
export type ToEar = Order | End;

/** Ends the thread before any waiting messages. */
export interface End {
	readonly type: 'end';
}

export type FromEar =
	| { readonly type: 'ready' }
	| { readonly type: 'heard'; readonly heard: Heard; readonly conversation: number }
	| { readonly type: 'done' | 'slow'; readonly conversation: number }
	/** For a file: this much more of it has been recognised, ms. */
	| { readonly type: 'progress'; readonly ms: number; readonly conversation: number };

/** Start parameters of the thread. */
export interface EarData {
	/** Folder of the models. */
	readonly folder: string;
	readonly recogniser: string;
	readonly detector: string;
}

/** If more sound is waiting than this, partial texts are omitted, ms. */
const BEHIND_MS = 600;
/** For a file, progress is reported in steps of this length, ms. */
const PROGRESS_MS = 200;

/** A dip between two syllables is not a pause, s. */
const MIN_SILENCE_S = 0.05;

const port = parentPort;
if (!port) throw new Error('runs as a thread only');
const data = workerData as EarData;
const waiting: Order[] = [];
let conversation = 0;
/** Processed sound that has not been reported yet, ms. */
let untoldMs = 0;
const sherpa = loadSherpa(data.folder);

const recogniser = createRecogniser(data);
const hearing = new Hearing({
	recogniser,
	detector: createDetector(data),
	isBehind() {
		collect();
		return waitingMs() > BEHIND_MS;
	},
	heard: (heard) => tell({ type: 'heard', heard, conversation }),
});
const lateness = new Lateness();
const resamplers = new Map<number, LinearResampler>();

// Decode once now: the first decoding takes longer than all others.
recogniser.decode(new Float32Array(HEARING_HZ), ['en']);
port.on('message', (message: ToEar) => {
	take(message);
	collect();
	for (let next = waiting.shift(); next; next = waiting.shift()) {
		obey(next);
		if (hearing.isLive && lateness.isSlow(waitingMs(), performance.now()))
			tell({ type: 'slow', conversation });
	}
});
tell({ type: 'ready' });

function tell(message: FromEar): void {
	port?.postMessage(message);
}

/** Collects the messages that arrived while this thread was busy. */
function collect(): void {
	if (!port) return;
	for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
		take(next.message as ToEar);
}

function take(message: ToEar): void {
	if (message.type === 'end') process.exit();
	waiting.push(message);
	if (message.type === 'sound') lateness.given(lengthOf(message), performance.now());
}

/** Length of the sound, ms. */
function lengthOf({ samples, rateHz }: { readonly samples: Int16Array; readonly rateHz: number }): number {
	return (samples.length * 1000) / rateHz;
}

function waitingMs(): number {
	let ms = 0;
	for (const message of waiting) if (message.type === 'sound') ms += lengthOf(message);
	return ms;
}

function obey(message: Order): void {
	switch (message.type) {
		case 'rules':
			hearing.follow(message.rules);
			break;
		case 'sound':
			hearing.hear(atHearingRate(message.samples, message.rateHz));
			if (!hearing.isLive) progress(lengthOf(message));
			break;
		case 'finish':
			hearing.finish();
			tell({ type: 'done', conversation });
			break;
		case 'begin':
			conversation = message.conversation;
			untoldMs = 0;
			lateness.begin();
			hearing.begin();
			break;
		case 'discard':
			hearing.discard();
			break;
		case 'reset':
			hearing.reset();
	}
}

function progress(ms: number): void {
	untoldMs += ms;
	if (untoldMs < PROGRESS_MS) return;
	tell({ type: 'progress', ms: untoldMs, conversation });
	untoldMs = 0;
}

function atHearingRate(samples: Int16Array, rateHz: number): Float32Array {
	const sound = Float32Array.from(samples, (sample) => sample / 0x8000);
	if (rateHz === HEARING_HZ) return sound;
	const resampler = resamplers.get(rateHz) ?? new sherpa.LinearResampler(rateHz, HEARING_HZ);
	resamplers.set(rateHz, resampler);
	return resampler.resample(sound);
}

/** Silero's detector (github.com/snakers4/silero-vad) in sherpa-onnx. */
function createDetector({ folder, detector }: EarData): Detector {
	const vad = new sherpa.Vad(
		{
			sileroVad: {
				model: fileOf(folder, detector, /\.onnx$/),
				threshold: 0.5,
				// Our own code measures pauses.
				minSilenceDuration: MIN_SILENCE_S,
				minSpeechDuration: 0.1,
				maxSpeechDuration: 30,
				windowSize: WINDOW,
			},
			sampleRate: HEARING_HZ,
			numThreads: 1,
		},
		60,
	);
	return {
		hear(window) {
			vad.acceptWaveform(window);
			while (!vad.isEmpty()) vad.pop();
			return vad.isDetected();
		},
		lagMs: Math.ceil((MIN_SILENCE_S * HEARING_HZ) / WINDOW) * WINDOW_MS,
		reset: () => vad.reset(),
	};
}

/** Whisper in sherpa-onnx. One thread: a second one doubles the processor load and is hardly faster. */
function createRecogniser({ folder, recogniser: id }: EarData): Recogniser {
	const isEnglishOnly = id.endsWith('.en');
	let language = isEnglishOnly ? 'en' : '';
	const config = () => ({
		featConfig: { sampleRate: HEARING_HZ, featureDim: 80 },
		modelConfig: {
			whisper: {
				encoder: fileOf(folder, id, /encoder.*\.onnx$/),
				decoder: fileOf(folder, id, /decoder.*\.onnx$/),
				language,
				task: 'transcribe',
				// The default: with a shorter tail, errors rise from 4.5 to 21 %.
				tailPaddings: -1,
			},
			tokens: fileOf(folder, id, /tokens\.txt$/),
			numThreads: 1,
			provider: 'cpu',
		},
	});
	const native = new sherpa.OfflineRecognizer(config());

	function decodeAs(wanted: string, samples: Float32Array) {
		if (wanted !== language) {
			language = wanted;
			native.setConfig(config());
		}
		const stream = native.createStream();
		stream.acceptWaveform({ sampleRate: HEARING_HZ, samples });
		native.decode(stream);
		return native.getResult(stream);
	}

	return {
		decode(samples, languages) {
			const [only, ...others] = languages;
			if (isEnglishOnly) return { text: decodeAs('en', samples).text, language: 'en' };
			if (only !== undefined && others.length === 0)
				return { text: decodeAs(only, samples).text, language: only };
			// An empty language makes Whisper detect it; the result must be one of the possible languages.
			const { text, lang } = decodeAs('', samples);
			if (only === undefined || languages.includes(lang)) return { text, language: lang };
			const language = likeliest(lang, languages);
			return { text: decodeAs(language, samples).text, language };
		},
	};
}
