import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { s16ToBytes } from '#shared/sound/pcm.ts';
import { wavHead, wavOf } from '#shared/sound/wav.ts';
import { padded } from '#stand-in/drive/sound.ts';
import { converse, lend, readRecording } from './converse.ts';
import { failureWords } from './drive.ts';
import { readOptions } from './options.ts';
import { languageSettings, windowData } from './window.ts';

let folder = '';
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'demo-unit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the silence around a recording is exactly as long as asked', () => {
	const pcm = padded({ rate: 1000, samples: Float32Array.from([1, -1, 3]) }, 0.5, 0.25);
	expect(pcm.length).toBe(753);
	expect([...pcm.subarray(499, 504)]).toEqual([0, 32_767, -32_767, 32_767, 0]);
});

test('without a display the demo is headless by itself', () => {
	expect(readOptions([], false)).toEqual({
		headless: true,
		holds: true,
		input: null,
		from: 'en',
		to: ['es'],
		namesLanguages: false,
		out: null,
		userData: null,
		local: false,
		models: null,
	});
	expect(readOptions(['--local', '--models', 'M'], true)).toMatchObject({ local: true, models: 'M' });
	expect(readOptions(['--models', ''], true)).toEqual({ wrong: '--models needs a value' });
	expect(readOptions([], true)).toMatchObject({ headless: false, holds: false, namesLanguages: false });
});

test('with a display, what is named on the command line is not dropped', () => {
	expect(readOptions(['--out', 'here'], true)).toMatchObject({ headless: false, holds: true, out: 'here' });
	expect(readOptions(['--input', 'x.wav'], true)).toMatchObject({ headless: false, holds: true });
	const chosen = readOptions(['--from', 'de', '--to', 'fr,ja'], true);
	expect(chosen).toMatchObject({ headless: false, holds: false, namesLanguages: true });
	if (chosen === 'help' || 'wrong' in chosen) throw new Error('not read');
	expect(languageSettings(chosen)).toEqual({ speak: 'de', hear: ['fr', 'ja'], voiceOf: 'fr' });
});

test('what cannot be meant is told before anything starts', () => {
	for (const argv of [
		['--to', 'klingon'],
		['--from', 'xx'],
		['--from', 'es', '--to', 'es'],
		['--to', 'fr,fr'],
		['--inputs', 'x'],
		['extra'],
		['--input', ''],
	]) {
		expect(readOptions(argv, true)).toHaveProperty('wrong');
	}
});

/** One second of 200 Hz at 16 kHz; every sample is plus or minus `level`. */
function recording(level: number): string {
	const path = join(folder, `${level}.wav`);
	const pcm = Int16Array.from({ length: 16_000 }, (_, at) => (at % 80 < 40 ? level : -level));
	writeFileSync(path, wavOf(pcm, 16_000));
	return path;
}

test('nothing was said in a recording that is silent or nearly so, which is known before anything starts', async () => {
	expect(await readRecording(recording(0))).toMatch(/^nothing was said in it/);
	// The limit is 0.004 of 32,768.
	expect(await readRecording(recording(125))).toMatch(/^nothing was said in it/);
	expect(await readRecording(recording(137))).toMatchObject({ rate: 24_000 });
});

test('a voice whose two channels are opposite is heard', async () => {
	const path = join(folder, 'opposite.wav');
	const both = Int16Array.from(
		{ length: 96_000 },
		(_, at) => (at % 480 < 240 ? 8000 : -8000) * (at % 2 === 0 ? 1 : -1),
	);
	const head = wavHead({ rateHz: 48_000, channels: 2, bytes: both.length * 2 });
	writeFileSync(path, Buffer.concat([head, s16ToBytes(both)]));
	const sound = await readRecording(path);
	if (typeof sound === 'string') throw new Error(sound);
	expect(Math.max(...sound.samples.subarray(4800))).toBeGreaterThan(0.2);
});

test('converts other formats with ffmpeg, or reports that it is missing', async () => {
	const path = join(folder, 'talk.mp3');
	writeFileSync(path, 'no sound');
	expect(await readRecording(path)).toMatch(/ffmpeg/);
	expect(await readRecording(join(folder, 'none.mp3'))).toBe('it does not exist');
});

test('no word of the driver, no stack and no escape code reaches a person', () => {
	const driver = 'the window did not do in time what was asked of it';
	const colours = '\u001b[2m';
	for (const message of [
		`locator.isDisabled: Timeout 30000ms exceeded.\nCall log:\n${colours}  - waiting for getByRole`,
		'page.evaluate: Target page, context or browser has been closed',
		'Timeout 20000 ms exceeded.',
	])
		expect(failureWords(new Error(message))).toBe(driver);
	const own = `${colours}the app did not start:\n    at Object.<anonymous> (x.ts:1:2)`;
	expect(failureWords(new Error(own))).toBe('the app did not start');
	expect(failureWords('')).not.toBe('');
});

const optionsOf = (...argv: string[]) => {
	const read = readOptions(argv, true);
	if (read === 'help' || 'wrong' in read) throw new Error('not read');
	return read;
};

test('the window has a data folder of its own, unless one is named', () => {
	const own = windowData(optionsOf(), {});
	expect(own.isOwn).toBe(true);
	rmSync(own.folder, { recursive: true });
	expect(windowData(optionsOf(), { DRAGOMAN_USER_DATA: folder })).toEqual({ folder, isOwn: false });
	const named = join(folder, 'named');
	expect(windowData(optionsOf('--user-data-dir', named), { DRAGOMAN_USER_DATA: folder })).toEqual({
		folder: named,
		isOwn: false,
	});
	expect(readOptions(['--user-data-dir', ''], true)).toHaveProperty('wrong');
});

test('languages are put beside the settings of a folder that was named', () => {
	mkdirSync(join(folder, 'data'));
	const file = join(folder, 'data', 'settings.json');
	writeFileSync(file, JSON.stringify({ theme: 'dark', speak: 'en' }));
	windowData(optionsOf('--from', 'de', '--to', 'fr', '--user-data-dir', join(folder, 'data')), {});
	expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
		theme: 'dark',
		speak: 'de',
		hear: ['fr'],
		voiceOf: 'fr',
	});
});

test('a damaged settings file of that folder is set aside, and its last good copy taken', () => {
	const data = join(folder, 'damaged');
	mkdirSync(data);
	writeFileSync(join(data, 'settings.json'), '{"version": 2,');
	writeFileSync(join(data, 'settings.json.bak'), '{"version": 2, "theme": "dark"}');
	windowData(optionsOf('--from', 'de', '--to', 'fr', '--user-data-dir', data), {});
	expect(JSON.parse(readFileSync(join(data, 'settings.json'), 'utf8'))).toMatchObject({
		theme: 'dark',
		speak: 'de',
	});
	expect(readdirSync(data)).toContainEqual(expect.stringMatching(/^settings\.json\.broken-/));
});

test('a conversation gives a named folder its languages back, however it ends', async () => {
	const own = { version: 2, speak: 'de', hear: ['it'], theme: 'dark' };
	writeFileSync(join(folder, 'settings.json'), JSON.stringify(own));
	const held = converse({
		options: optionsOf('--headless', '--from', 'en', '--to', 'fr', '--user-data-dir', folder),
		sound: { rate: 24_000, samples: new Float32Array(1) },
		inputPath: '',
		service: { kind: 'sandbox', api: '', env: {}, counts: () => ({ created: 0, deleted: 0 }) },
		env: {},
		signal: AbortSignal.abort(),
		say() {},
	});
	await expect(held).rejects.toThrow();
	expect(JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'))).toEqual(own);
	expect(readdirSync(folder).filter((name) => name.startsWith('conversation-'))).toEqual([]);
});

test('a conversation without a window borrows the settings of a named folder, and puts back what was there', () => {
	const data = mkdtempSync(join(tmpdir(), 'dragoman-lend-'));
	const file = join(data, 'settings.json');
	writeFileSync(file, JSON.stringify({ version: 2, speak: 'de', theme: 'dark' }));
	const giveBack = lend(data, { speak: 'en', hear: ['es'], interfaceLanguage: 'en', warmIdleS: 0 });
	expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ speak: 'en', warmIdleS: 0, theme: 'dark' });
	giveBack();
	expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 2, speak: 'de', theme: 'dark' });
	rmSync(data, { recursive: true });
});
