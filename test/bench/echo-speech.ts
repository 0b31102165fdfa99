import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { phrases, spokenLanguages } from '#sandbox/interpreter/phrases.ts';
import { espeak } from '#sandbox/speech/synthesizer.ts';
import type { Timbre } from '#sandbox/speech/timbre.ts';
import { resample } from '#shared/sound/resampler.ts';

/** Sampling rate of everything here, Hz. */
export const RATE = 16_000;

/** What one person, or one synthetic voice, says: sentences, mono, −1 to 1, all about as loud. */
export interface Speaker {
	readonly name: string;
	/** Those of one language say the same texts. */
	readonly language: string;
	readonly sentences: readonly Float32Array[];
}

/** A professional speaker's prompts, from Debian's asterisk-core-sounds-en-g722 (CC-BY-SA 3.0). */
const PROMPTS = '/usr/share/asterisk/sounds/en_US_f_Allison';
/** One second of samples; shorter prompts are no sentence. */
const LEAST = RATE;
const TIMBRES: readonly Timbre[] = ['low', 'high'];
const TEMPOS = [0.9, 1.15];
const LOUD = 0.08;

/** A person where her recordings are installed, and voices of espeak-ng in six languages where it is. */
export async function speakers(): Promise<readonly Speaker[]> {
	const found: Speaker[] = [];
	const person = prompts();
	if (person.length > 0) found.push({ name: 'person', language: 'prompts', sentences: person });
	for (const language of spokenLanguages) {
		for (const timbre of TIMBRES) {
			const sentences: Float32Array[] = [];
			for (const tempo of TEMPOS) {
				for (const { text } of phrases) {
					const spoken = await espeak(text[language], language, { timbre, tempo });
					if (spoken) sentences.push(level(resample(spoken.samples, spoken.rateHz, RATE)));
				}
			}
			if (sentences.length > 0) found.push({ name: `${language} ${timbre}`, language, sentences });
		}
	}
	return found;
}

/** All prompts are decoded at one go: a byte of G.722 is two samples. */
function prompts(): readonly Float32Array[] {
	if (!existsSync(PROMPTS)) return [];
	const files = readdirSync(PROMPTS)
		.filter((name) => name.endsWith('.g722') && !/beep|tone|monkeys/.test(name))
		.map((name) => readFileSync(join(PROMPTS, name)));
	const args = ['-loglevel', 'error', '-f', 'g722', '-i', '-', '-f', 'f32le', '-ac', '1', '-'];
	const { stdout } = spawnSync('ffmpeg', args, { input: Buffer.concat(files), maxBuffer: 2 ** 30 });
	const all = new Float32Array(new Uint8Array(stdout ?? []).buffer);
	const out: Float32Array[] = [];
	let at = 0;
	for (const file of files) {
		const sentence = all.subarray(at, at + 2 * file.length);
		at += 2 * file.length;
		if (sentence.length >= LEAST) out.push(level(sentence));
	}
	return out;
}

/** Brings it to the common level, without the silence at its ends. */
function level(samples: Float32Array): Float32Array {
	const first = samples.findIndex((sample) => Math.abs(sample) > 0.003);
	const last = samples.findLastIndex((sample) => Math.abs(sample) > 0.003);
	const sentence = samples.slice(Math.max(0, first), last + 1);
	const energy = sentence.reduce((sum, sample) => sum + sample * sample, 0);
	const gain = LOUD / Math.sqrt(energy / Math.max(1, sentence.length) || 1);
	return sentence.map((sample) => sample * gain);
}
