import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isWhole, models, recogniserOf, translatorsOf } from '#shared/models/manifest.ts';
import { AUTO, baseOf } from '#shared/protocol/languages.ts';

const recognisers = models.filter(({ role }) => role === 'recogniser').map(({ id }) => id);

/** The file of a model that matches `pattern`; file names are in `#shared/models/manifest.ts`. */
export function fileOf(folder: string, id: string, pattern: RegExp): string {
	const found = readdirSync(join(folder, id)).find((name) => pattern.test(name));
	if (found === undefined) throw new Error(`${id} lacks a file`);
	return join(folder, id, found);
}

/**
 * Whether every file of a model is in the folder. Checks this model only, because it is called for every text.
 */
export function isInstalled(folder: string, id: string): boolean {
	return isWhole(id, (_, file) => existsSync(join(folder, id, file)));
}

/** Reads the models folder each time, because models are added and removed while the program runs. */
export function createLibrary(folder: string) {
	const isThere = (id: string) => isInstalled(folder, id);

	return {
		folder,
		detector: 'silero-v5',
		/** The recogniser for one of these languages, or for any language; null = none is installed. */
		recogniserFor(languages: readonly string[]): string | null {
			const [only = AUTO, ...others] = new Set(languages.map(baseOf));
			return recogniserOf(others.length > 0 ? AUTO : only, recognisers.filter(isThere));
		},
		/** The translators from one language to another; empty = same language; null = not installed. */
		routeFor(from: string, to: string): readonly string[] | null {
			const route = translatorsOf(from, to);
			return route?.every(isThere) ? route : null;
		},
	};
}
export type Library = ReturnType<typeof createLibrary>;

/**
 * The functions we use of the packages that recognise and speak; the packages declare no types. They are
 * optional and never bundled: sherpa-onnx contains machine code, and both contain espeak-ng, which is under the
 * GPL and only runs in this process.
 */

/** Not named `require`, because the bundler declares a variable of that name. */
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

interface OfflineTts {
	readonly sampleRate: number;
	/** `enableExternalBuffer: false`: copies the sound, as Node's threads require. */
	generateAsync(request: {
		readonly text: string;
		readonly sid: number;
		/** 1 is normal. */
		readonly speed: number;
		readonly enableExternalBuffer: false;
		/** Called for each sentence as soon as it is generated; returning 0 stops there. */
		onProgress(made: { readonly samples: Float32Array }): number;
	}): Promise<unknown>;
}

/** Loads `sherpa-onnx-node`. Throws if it has no machine code for this computer. */
export function loadSherpa() {
	return fromHere('sherpa-onnx-node') as {
		readonly OfflineRecognizer: new (config: object) => OfflineRecognizer;
		readonly Vad: new (config: object, bufferS: number) => Vad;
		readonly OfflineTts: { createAsync(config: object): Promise<OfflineTts> };
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

/** Emscripten's file system: it holds the data of espeak-ng in memory. */
export interface EspeakFiles {
	readdir(path: string): readonly string[];
	stat(path: string): { readonly mode: number };
	isDir(mode: number): boolean;
	readFile(path: string): Uint8Array;
}

/** Loads `@echogarden/espeak-ng-emscripten`. */
export async function loadEspeak(): Promise<{ readonly worker: EspeakWorker; readonly files: EspeakFiles }> {
	// Because the name is in a variable, the compiler does not resolve the import, which has no types.
	const name: string = '@echogarden/espeak-ng-emscripten';
	const { default: init } = (await import(name)) as {
		default(): Promise<{ readonly eSpeakNGWorker: new () => EspeakWorker; readonly FS: EspeakFiles }>;
	};
	const { eSpeakNGWorker: EspeakNgWorker, FS: files } = await init();
	return { worker: new EspeakNgWorker(), files };
}

/** WebAssembly is available everywhere, but only the types of browsers declare it. */
export const webAssembly = (
	globalThis as unknown as {
		readonly WebAssembly: {
			instantiate(bytes: Uint8Array, imports: object): Promise<{ readonly instance: object }>;
		};
	}
).WebAssembly;
