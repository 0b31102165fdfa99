import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	statSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { noModels, testModels } from '#test/support/test-models.ts';
import { createPiper, tokensOf } from './piper.ts';
import { createEspeak, createVoices, inTwo, joined, type Sound, type Voice } from './voice.ts';

vi.mock('./piper.ts', { spy: true });

const piece = (length: number, from: number): Sound => ({
	samples: Int16Array.from({ length }, (_, at) => from + at),
	rateHz: 22_050,
});

test('the first 0.4 s or more are given at once, in whole frames; nothing is lost between it and the rest', () => {
	const first: Sound[] = [];
	const parts = inTwo((sound) => first.push(sound));
	for (let at = 0; at < 3; at += 1) parts.take(piece(2206, at * 2206));
	expect(first).toEqual([]);
	for (let at = 3; at < 9; at += 1) parts.take(piece(2206, at * 2206));
	expect(first).toHaveLength(1);
	expect(first[0]?.samples.length).toBe(20 * 441);
	const rest = parts.rest();
	expect(joined([...first, ...(rest ? [rest] : [])]).samples).toEqual(piece(9 * 2206, 0).samples);
});

test('what is shorter comes in one part, and silence in none', () => {
	const parts = inTwo(() => expect.unreachable());
	expect(parts.rest()).toBeNull();
	parts.take(piece(500, 0));
	expect(parts.rest()?.samples.length).toBe(500);
});

test('espeak-ng gives its sound in pieces as it makes it', async () => {
	const pieces: Sound[] = [];
	const espeak = await createEspeak('');
	const text = 'A conferência começará quando o líder chegar.';
	espeak.speak({ text, language: 'pt', timbre: 'low', tempo: 1 }, (sound) => pieces.push(sound));
	expect(pieces.length).toBeGreaterThan(10);
	expect(Math.max(...joined(pieces).samples)).toBeGreaterThan(5000);
});

test('where Piper fails half way through a sentence, espeak-ng does not begin it again', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-voices-'));
	mkdirSync(join(folder, 'piper-en_US-joe-medium'));
	writeFileSync(join(folder, 'piper-en_US-joe-medium', 'en_US-joe-medium.onnx'), '');
	vi.mocked(createPiper).mockReturnValueOnce({
		async speak(_id, _voicing, heard) {
			heard(piece(500, 0));
			throw new Error('out of memory');
		},
	});
	const voices = await createVoices(folder, new AbortController().signal);
	const pieces: Sound[] = [];
	const voicing = { text: 'Good morning.', language: 'en', timbre: 'low', tempo: 1 } as const;
	await expect(voices.speak(voicing, (one) => pieces.push(one))).rejects.toThrow('out of memory');
	expect(pieces).toEqual([piece(500, 0)]);
	rmSync(folder, { recursive: true });
});

test.each([
	['sv', 130, 'ⱱ 129'],
	['en', 151, '" 150'],
	['pt', 152, '↑ 151'],
	['fr', 154, '\u033b 153'],
	['sk', 157, 'X 156'],
	['cs', 159, '\u030a 158'],
])('the voice of %s knows %i phonemes', (language, count, last) => {
	const lines = tokensOf(language).trimEnd().split('\n');
	expect(lines).toHaveLength(count);
	expect(lines.at(-1)).toBe(last);
	expect(lines).toContain(language === 'pt' ? 'c 23' : 'c 16');
	expect(lines).toContain('k 23');
});

describe.skipIf(noModels('a voice of Piper'))('where a voice of Piper is installed', () => {
	const ID = 'piper-en_US-joe-medium';
	const { signal } = new AbortController();
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-voices-'));
	beforeAll(() => {
		mkdirSync(join(folder, ID));
		cpSync(join(testModels.folder, ID, 'en_US-joe-medium.onnx'), join(folder, ID, 'en_US-joe-medium.onnx'));
	});
	afterAll(() => rmSync(folder, { recursive: true }));

	async function said(voices: Voice, language: string, tempo = 1): Promise<readonly Sound[]> {
		const pieces: Sound[] = [];
		const text = 'The conference begins tomorrow. Please bring the papers.';
		await voices.speak({ text, language, timbre: 'low', tempo }, (piece) => pieces.push(piece));
		return pieces;
	}
	const lengthOf = (pieces: readonly Sound[]) => joined(pieces).samples.length;

	test('it speaks its language sentence by sentence, faster if wanted, and espeak-ng the others', async () => {
		const voices = await createVoices(folder, signal);
		const english = await said(voices, 'en-gb');
		expect(english).toHaveLength(2);
		expect(Math.max(...joined(english).samples)).toBeGreaterThan(5000);
		expect(lengthOf(await said(voices, 'en', 1.5))).toBeLessThan(lengthOf(english) * 0.8);
		expect((await said(voices, 'de')).length).toBeGreaterThan(10);
	}, 30_000);

	test('it says no further sentence when it is to end', async () => {
		const ending = new AbortController();
		const voices = await createVoices(folder, ending.signal);
		const pieces: Sound[] = [];
		await voices.speak(
			{ text: 'One sentence. Two sentences. Three sentences.', language: 'en', timbre: 'low', tempo: 1 },
			(piece) => {
				pieces.push(piece);
				ending.abort();
			},
		);
		expect(pieces).toHaveLength(1);
	}, 30_000);

	test('the copy that sherpa-onnx reads is made once, and again after another download', async () => {
		await said(await createVoices(folder, signal), 'en');
		const copy = join(folder, ID, 'sherpa.onnx');
		const { size } = statSync(copy);
		truncateSync(copy, 1000);
		await said(await createVoices(folder, signal), 'en');
		expect(statSync(copy).size).toBe(size);
		const { mtimeMs } = statSync(copy);
		await said(await createVoices(folder, signal), 'en');
		expect(statSync(copy).mtimeMs).toBe(mtimeMs);
		utimesSync(copy, 0, 0);
		await said(await createVoices(folder, signal), 'en');
		expect(statSync(copy).mtimeMs).toBeGreaterThan(mtimeMs);
		expect(readdirSync(folder).toSorted()).toEqual(['espeak-ng-data', ID]);
		expect(readdirSync(join(folder, ID)).toSorted()).toEqual([
			'en_US-joe-medium.onnx',
			'sherpa.onnx',
			'tokens.txt',
		]);
	}, 30_000);

	test('it is loaded once, with an empty text as well', async () => {
		const own = mkdtempSync(join(tmpdir(), 'dragoman-voices-'));
		cpSync(join(folder, ID), join(own, ID), { recursive: true });
		const piper = createPiper(own, (await createEspeak('')).files, signal);
		const voicing = { text: '', language: 'en', timbre: 'low', tempo: 1 } as const;
		const pieces: Sound[] = [];
		await piper.speak(ID, voicing, (piece) => pieces.push(piece));
		expect(pieces).toEqual([]);
		// What espeak-ng reads for each text stays.
		rmSync(join(own, ID), { recursive: true });
		await piper.speak(ID, { ...voicing, text: 'Good morning.' }, (piece) => pieces.push(piece));
		expect(lengthOf(pieces)).toBeGreaterThan(10_000);
		rmSync(own, { recursive: true });
	}, 30_000);

	test('espeak-ng speaks where the voice is damaged or was removed', async () => {
		const broken = mkdtempSync(join(tmpdir(), 'dragoman-voices-'));
		mkdirSync(join(broken, ID));
		writeFileSync(join(broken, ID, 'en_US-joe-medium.onnx'), 'not a model');
		const voices = await createVoices(broken, signal);
		expect((await said(voices, 'en')).length).toBeGreaterThan(10);
		rmSync(join(broken, ID), { recursive: true });
		expect((await said(voices, 'en')).length).toBeGreaterThan(10);
		rmSync(broken, { recursive: true });
	}, 30_000);
});
