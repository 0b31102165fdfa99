import { randomUUID } from 'node:crypto';
import { constants, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { appendFile, copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toS16 } from '#sandbox/speech/pcm.ts';
import { espeakName } from '#sandbox/speech/timbre.ts';
import { VOICE_DATA } from '#shared/models/manifest.ts';
import { fileOf } from './models.ts';
import { type EspeakFiles, loadSherpa } from './packages.ts';
import type { Sound, Voicing } from './voice.ts';

/** Piper's phonemes; the index of each is its number in every voice (`phoneme_id_map`). */
const PHONEMES = [
	...'_^$ !\'(),-.:;?abcdefhijklmnopqrstuvwxyzæçðøħŋœǀǁǂǃɐɑɒɓɔɕɖɗɘəɚɛɜɞɟɠɡɢɣɤɥɦɧɨɪɫɬɭɮɯɰɱɲɳɴɵɶɸɹɺɻɽɾʀʁʂʃʄʈʉʊʋʌʍʎʏʐʑʒʔʕʘʙʛʜʝʟʡʢʲˈˌːˑ˞βθχᵻⱱ0123456789\u0327\u0303\u032a\u032f\u0329ʰˤε↓#"↑\u033a\u033bgʦX\u031d\u030a',
];
/** Number of phonemes in older voices, which know fewer of them, by language. */
const KNOWN: ReadonlyMap<string, number> = new Map([
	['sv', 130],
	['en', 151],
	...['es', 'de', 'pt', 'pl', 'ru'].map((language) => [language, 152] as const),
	...['fr', 'nl', 'da', 'no', 'fi', 'ro', 'ca', 'vi'].map((language) => [language, 154] as const),
	...['sk', 'sl'].map((language) => [language, 157] as const),
]);
/** A phoneme that the Portuguese voice was trained to write as another one (`phoneme_map`). */
const WRITTEN_AS: ReadonlyMap<string, string> = new Map([['pt c', 'k']]);
/** Rate of a voice of medium quality, Hz. */
const RATE_HZ = 22_050;
const DATA_IN_MODULE = '/usr/share/espeak-ng-data';

/** The voices of Piper in a folder of models. Each is loaded once, with its first text. */
export function createPiper(folder: string, files: EspeakFiles, signal: AbortSignal) {
	const loaded = new Map<string, ReturnType<typeof load>>();

	async function load(id: string) {
		const dataDir = join(folder, VOICE_DATA);
		if (!existsSync(dataDir)) layData(files, dataDir);
		const vits = { ...(await readable(folder, id)), dataDir };
		const model = { vits, numThreads: 1, provider: 'cpu', debug: false };
		return loadSherpa(folder).OfflineTts.createAsync({ model, maxNumSentences: 1 });
	}

	return {
		/** Rejects when the voice cannot be loaded. An empty text only loads it. */
		async speak(id: string, { text, tempo }: Voicing, heard: (piece: Sound) => void): Promise<void> {
			const loading = loaded.get(id) ?? load(id);
			loaded.set(id, loading);
			const tts = await loading;
			if (text.trim() === '') return;
			await tts.generateAsync({
				text,
				sid: 0,
				speed: tempo,
				enableExternalBuffer: false,
				onProgress({ samples }) {
					heard({ samples: toS16(samples), rateHz: tts.sampleRate });
					return signal.aborted ? 0 : 1;
				},
			});
		},
	};
}

/**
 * Copies the data of espeak-ng from the memory of the WebAssembly module to a folder, where sherpa-onnx reads
 * it.
 */
function layData(files: EspeakFiles, folder: string): void {
	const part = `${folder}.${randomUUID()}`;
	const copy = (from: string, to: string): void => {
		mkdirSync(to, { recursive: true });
		for (const name of files.readdir(from)) {
			if (name === '.' || name === '..') continue;
			const inside = `${from}/${name}`;
			if (files.isDir(files.stat(inside).mode)) copy(inside, join(to, name));
			else writeFileSync(join(to, name), files.readFile(inside));
		}
	};
	try {
		copy(DATA_IN_MODULE, part);
		renameSync(part, folder);
	} catch (failure) {
		rmSync(part, { recursive: true, force: true });
		// Another process may have created the folder first.
		if (!existsSync(folder)) throw failure;
	}
}

/**
 * Creates the files that sherpa-onnx expects with a voice: a table of its phonemes, and within the model the
 * metadata that Piper keeps in a separate file. They are appended to a copy of the model, because the downloaded
 * file must keep its hash.
 */
async function readable(folder: string, id: string): Promise<{ model: string; tokens: string }> {
	const model = join(folder, id, 'sherpa.onnx');
	const tokens = join(folder, id, 'tokens.txt');
	const source = fileOf(folder, id, /^[a-z]{2}_[A-Z]{2}.*\.onnx$/);
	const facts = metadata({
		model_type: 'vits',
		comment: 'piper',
		language: id,
		voice: espeakName(id.replace(/^piper-([a-z]+)_([A-Z]+)-.*$/, '$1-$2')),
		has_espeak: '1',
		n_speakers: '1',
		sample_rate: `${RATE_HZ}`,
	});
	const wanted = statSync(source);
	const there = existsSync(model) ? statSync(model) : null;
	if (there?.size === wanted.size + facts.length && there.mtimeMs >= wanted.mtimeMs) return { model, tokens };
	writeFileSync(tokens, tokensOf(id.slice('piper-'.length, 'piper-xx'.length)));
	const part = `${model}.${randomUUID()}`;
	try {
		await copyFile(source, part, constants.COPYFILE_FICLONE);
		await appendFile(part, facts);
		await rename(part, model);
	} finally {
		await rm(part, { force: true });
	}
	return { model, tokens };
}

/** The phonemes of a language's voice with their numbers, one per line. */
export function tokensOf(language: string): string {
	const known = PHONEMES.slice(0, KNOWN.get(language) ?? PHONEMES.length);
	const lines = known.map((phoneme) => {
		const number = known.indexOf(WRITTEN_AS.get(`${language} ${phoneme}`) ?? phoneme);
		return `${phoneme} ${number}\n`;
	});
	return lines.join('');
}

/**
 * Encoded for the end of an ONNX file: `metadata_props` (field 14 of the model), each an entry with a key (1)
 * and a value (2).
 */
function metadata(facts: Readonly<Record<string, string>>): Buffer {
	const field = (number: number, bytes: Buffer) => {
		if (bytes.length > 127) throw new Error('too long for a length of one byte');
		return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
	};
	const entries = Object.entries(facts).map(([key, value]) =>
		field(14, Buffer.concat([field(1, Buffer.from(key)), field(2, Buffer.from(value))])),
	);
	return Buffer.concat(entries);
}
