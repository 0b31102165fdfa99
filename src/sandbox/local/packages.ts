import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import { INTERPRETER } from '#shared/models/choose-models.ts';
import { isWhole, type Model, modelsFor } from '#shared/models/manifest.ts';

/**
 * The packages that recognise, translate and speak, and the functions we use of them; they declare no types. They
 * are optional and never bundled: sherpa-onnx contains machine code, and it and espeak-ng are under the GPL. They
 * only run in this process.
 */

/** Not named `require`, because the bundler declares a variable of that name. */
const fromHere = createRequire(import.meta.url);
/** The packages as a download; undefined = npm has installed them. */
const downloaded = modelsFor(process, fromHere.resolve).models.find(({ id }) => id === INTERPRETER);
/** Checked once in each thread. */
let packages = downloaded ? null : fromHere;

/** A downloaded file is not the published one. */
class DamagedFile extends Error {
	readonly file: string;

	constructor(file: string) {
		super(`${file} is not the published file`);
		this.file = file;
	}
}

/** The name of a downloaded file that is not the published one; null = nothing is wrong, or nothing was downloaded. */
export function damagedPackage(folder: string): string | null {
	if (!downloaded || !isWhole(downloaded, (id, file) => existsSync(join(folder, id, file)))) return null;
	try {
		packagesIn(folder);
		return null;
	} catch (failure) {
		if (failure instanceof DamagedFile) return failure.file;
		throw failure;
	}
}

/** Resolves and loads the packages: those that npm installed, otherwise those in the folder of the models. */
export function packagesIn(folder: string): NodeJS.Require {
	if (packages === null) {
		const place = downloaded ? unpacked(join(folder, INTERPRETER), downloaded) : '';
		packages = createRequire(join(place, 'packages.js'));
	}
	return packages;
}

/**
 * The folder of the unpacked packages, which is made again if one of its files is missing, added or changed. Code
 * in a user's folder must not run unchecked.
 */
function unpacked(place: string, { files, contents = '' }: Model): string {
	const folder = join(place, 'unpacked');
	if (hashOfFiles(folder) === contents) return folder;
	const part = `${folder}.${randomUUID()}`;
	try {
		for (const { name, sha256, package: of = '' } of files) {
			const bytes = readFileSync(join(place, name));
			if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
				// It then counts as missing, and can be downloaded again.
				rmSync(join(place, name));
				throw new DamagedFile(name);
			}
			unpack(gunzipSync(bytes), join(part, 'node_modules', of));
		}
		// If another thread has just unpacked them, leave them: it may be loading them.
		if (hashOfFiles(folder) !== contents) rmSync(folder, { recursive: true, force: true });
		renameSync(part, folder);
	} catch (failure) {
		rmSync(part, { recursive: true, force: true });
		if (failure instanceof DamagedFile || hashOfFiles(folder) !== contents) throw failure;
	}
	if (hashOfFiles(folder) !== contents) throw new Error('the unpacked files are not the published ones');
	return folder;
}

/** Writes the files of an archive made by npm, which has everything in one folder. */
export function unpack(tar: Buffer, folder: string): void {
	for (const { name, data } of parseTar(new Uint8Array(tar), { filter: ({ type }) => type === 'file' })) {
		const path = join(folder, name.replace(/^[^/]*\//, ''));
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
		writeFileSync(path, data ?? '');
	}
}

/** One hash for the names and contents of all files in a folder; empty = there is no such folder. */
export function hashOfFiles(folder: string): string {
	if (!existsSync(folder)) return '';
	const hash = createHash('sha256');
	const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => !entry.isDirectory())
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
	for (const path of paths.sort()) {
		const bytes = readFileSync(join(folder, path));
		hash.update(`${path} ${bytes.length}\n`).update(bytes);
	}
	return hash.digest('hex');
}

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

/** Throws if it has no machine code for this computer. */
export function loadSherpa(folder: string) {
	return packagesIn(folder)('sherpa-onnx-node') as {
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

export async function loadEspeak(
	folder: string,
): Promise<{ readonly worker: EspeakWorker; readonly files: EspeakFiles }> {
	const file = packagesIn(folder).resolve('@echogarden/espeak-ng-emscripten');
	const { default: init } = (await import(pathToFileURL(file).href)) as {
		default(): Promise<{ readonly eSpeakNGWorker: new () => EspeakWorker; readonly FS: EspeakFiles }>;
	};
	const { eSpeakNGWorker: EspeakNgWorker, FS: files } = await init();
	return { worker: new EspeakNgWorker(), files };
}
