/**
 * What we use of the packages that recognise and speak; they declare no types. They are optional and never bundled:
 * sherpa-onnx holds machine code, and both contain espeak-ng, which is GPL and stays in this process.
 */
import { createRequire } from 'node:module';

/** Not `require`: what bundles the program declares one of its own. */
const fromHere = createRequire(import.meta.url);

interface Waveform {
	readonly samples: Float32Array;
	readonly sampleRate: number;
}

interface Stream {
	acceptWaveform(waveform: Waveform): void;
}

interface OfflineRecognizer {
	setConfig(config: object): void;
	createStream(): Stream;
	decode(stream: Stream): void;
	getResult(stream: Stream): { readonly text: string; readonly lang: string };
}

interface Vad {
	acceptWaveform(samples: Float32Array): void;
	isDetected(): boolean;
	isEmpty(): boolean;
	pop(): void;
	reset(): void;
}

export interface LinearResampler {
	resample(samples: Float32Array): Float32Array;
}

/** `sherpa-onnx-node`. Throws where it has no machine code for this computer. */
export function loadSherpa() {
	return fromHere('sherpa-onnx-node') as {
		readonly OfflineRecognizer: new (config: object) => OfflineRecognizer;
		readonly Vad: new (config: object, bufferS: number) => Vad;
		readonly LinearResampler: new (fromHz: number, toHz: number) => LinearResampler;
	};
}

interface EspeakWorker {
	set_voice(name: string): number;
	set_rate(wordsPerMinute: number): void;
	set_pitch(pitch: number): void;
	readonly samplerate?: number;
	get_samplerate?(): number;
	synthesize(text: string, heard: (audio: ArrayBuffer | null, events: unknown) => number): void;
}

/** `@echogarden/espeak-ng-emscripten`. */
export async function loadEspeak(): Promise<EspeakWorker> {
	// A name in a variable is not looked up by the compiler, which knows no types for it.
	const name: string = '@echogarden/espeak-ng-emscripten';
	const { default: init } = (await import(name)) as {
		default(): Promise<{ readonly eSpeakNGWorker: new () => EspeakWorker }>;
	};
	const { eSpeakNGWorker: EspeakNgWorker } = await init();
	return new EspeakNgWorker();
}

/** Of the language itself, but declared only among the types of browsers. */
export const webAssembly = (
	globalThis as unknown as {
		readonly WebAssembly: {
			instantiate(bytes: Uint8Array, imports: object): Promise<{ readonly instance: object }>;
		};
	}
).WebAssembly;
