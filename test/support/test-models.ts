import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { notRun } from './not-run.ts';

/** Filled by `npm run test-models -- DIR`. */
const folder = process.env.DRAGOMAN_TEST_MODELS ?? '';
const isThere = folder !== '' && existsSync(join(folder, 'silero-v5'));

/** The models of the tests, and recordings of people with their texts. */
export const testModels = { folder, missing: isThere ? null : 'npm run test-models has not been run' };

/** For `skipIf`. */
export function noModels(what: string): boolean {
	return testModels.missing !== null && notRun(what, testModels.missing);
}

export interface Prompt {
	readonly text: string;
	/** 16 kHz mono 16-bit samples, little-endian. */
	readonly pcm: Buffer;
}

interface Reference {
	/** Name of the file. */
	readonly wav: string;
	readonly text: string;
}

/** Misspelled or damaged in the package of the prompts: nobody could write them as they are there. */
const MISPRINTS: readonly (readonly [string, string])[] = [
	['présentemnet', 'présentement'],
	['etre rappler', 'être rappelé'],
	['pu? essere', 'può essere'],
	['cos? come', 'così come'],
	['Perpiacere', 'Per piacere'],
	['Что бы сбросить', 'Чтобы сбросить'],
];

function referencesOf(language: string): readonly Reference[] {
	const all = JSON.parse(readFileSync(join(folder, 'audio', 'refs.json'), 'utf8')) as Readonly<
		Record<string, readonly Reference[]>
	>;
	return all[language] ?? [];
}

const promptOf = ({ wav, text }: Reference): Prompt => ({
	text: MISPRINTS.reduce((read, [misprint, meant]) => read.replace(misprint, meant), text),
	pcm: readFileSync(join(folder, 'audio', wav)).subarray(44),
});

export function allPrompts(language: string): readonly Prompt[] {
	return referencesOf(language).map(promptOf);
}

/** Recordings in a language by the names of their prompts, such as `conf-getconfno`. */
export function promptsOf(language: string, ...names: readonly string[]): readonly Prompt[] {
	const all = referencesOf(language);
	return names.flatMap((name) => all.filter(({ wav }) => wav === `${language}-${name}.wav`).map(promptOf));
}

/** The processes that interpret with the models in this folder. */
export function interpretersOf(models: string): readonly number[] {
	const { stdout } = spawnSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' });
	const found = stdout.split('\n').filter((line) => line.includes('--interpreter') && line.includes(models));
	return found.map((line) => Number.parseInt(line, 10));
}

/** Words without case, accents and punctuation. */
export function wordsIn(text: string): readonly string[] {
	const plain = text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');
	return plain.match(/[\p{L}\p{N}']+/gu) ?? [];
}

/** The share of the words of `wanted` that `heard` has, 0 to 1. */
export function shareHeard(wanted: string, heard: string): number {
	const words = wordsIn(wanted);
	const there = new Set(wordsIn(heard));
	return words.filter((word) => there.has(word)).length / Math.max(1, words.length);
}
