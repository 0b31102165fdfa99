import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wavHead } from '#shared/sound/wav.ts';
import { notRun } from '#test/support/not-run.ts';
import { type InputWanted, openAudio } from './audio-input.ts';

/** 100 ms: 2400 samples. */
const SOUND = new Uint8Array(4800);
const HEAD = wavHead({ rateHz: 24_000, channels: 1, bytes: null });
const FAULT = 'it could not be read to its end: EIO';

/** Gives these, and then fails as a disk does. */
async function* failing(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* pieces;
	throw Object.assign(new Error('read failed'), { code: 'EIO' });
}

/** How many samples it has, and why it ended too early. */
async function read(wanted: InputWanted, input?: () => AsyncIterable<Uint8Array>) {
	const opened = await openAudio(wanted, input ? { input } : {});
	if (!opened.ok) return opened.error;
	let count = 0;
	for await (const piece of opened.value.samples) count += piece.length;
	return { count, fault: opened.value.fault() };
}

test('standard input that fails in the middle ends there, and it is known why', async () => {
	const raw = await read({ file: '-', raw: true }, () => failing(SOUND));
	expect(raw).toEqual({ count: 2400, fault: FAULT });
	const wav = await read({ file: '-', raw: false }, () => failing(HEAD, SOUND));
	expect(wav).toEqual({ count: 2400, fault: FAULT });
});

test('standard input that fails before there is any sound is refused with the reason', async () => {
	const refused = await read({ file: '-', raw: false }, () => failing());
	expect(refused).toEqual({ kind: 'file-unreadable', file: 'standard input', reason: FAULT });
});

const filmless = spawnSync('ffmpeg', ['-version']).status === 0 ? '' : 'needs ffmpeg';
test.skipIf(filmless !== '' && notRun('films', filmless))(
	'sound that begins late in a film keeps its time, channels in opposite phase their voice, and no sound is said',
	{ timeout: 30_000 },
	async ({ onTestFinished }) => {
		const folder = mkdtempSync(join(tmpdir(), 'dragoman-film-'));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		const make = (name: string, ...args: readonly string[]) => {
			const made = spawnSync('ffmpeg', ['-v', 'error', '-y', ...args, join(folder, name)]);
			expect(String(made.stderr)).toBe('');
			return join(folder, name);
		};
		const picture = ['-f', 'lavfi', '-i', 'color=c=black:s=64x64:d=3:r=10'];
		const tone = ['-f', 'lavfi', '-i', 'sine=400:d=1'];
		const opposite = ['-af', 'pan=stereo|c0=c0|c1=-1*c0'];
		const late = ['-itsoffset', '1.5', ...tone, '-map', '0:v', '-map', '1:a', ...opposite];
		for (const film of [
			make('late.mp4', ...picture, ...late, '-c:v', 'mpeg4', '-c:a', 'aac'),
			make('late.mkv', ...picture, ...late, '-c:v', 'mpeg4', '-c:a', 'pcm_s16le'),
		]) {
			const opened = await openAudio({ file: film, raw: false }, {});
			if (!opened.ok) throw new Error(film);
			const samples: number[] = [];
			for await (const piece of opened.value.samples) samples.push(...piece);
			expect(opened.value.fault()).toBeNull();
			const begin = samples.findIndex((sample) => Math.abs(sample) > 500) / 24_000;
			expect(begin).toBeGreaterThan(1.4);
			expect(begin).toBeLessThan(1.6);
			expect(Math.max(...samples.map(Math.abs))).toBeGreaterThan(3000);
		}
		const silent = make('silent.mp4', ...picture, '-c:v', 'mpeg4');
		expect(await read({ file: silent, raw: false })).toMatchObject({ reason: 'it has no sound in it' });
	},
);

/** A file that is there, may be read, and fails at the first byte. */
const unreadable = '/proc/self/mem';
const unseen = process.platform === 'linux' ? '' : 'needs /proc';
test.skipIf(unseen !== '' && notRun('a file of raw sound that fails', unseen))(
	'a file of raw sound that fails ends there, and it is known why',
	async () => {
		expect(await read({ file: unreadable, raw: true })).toEqual({ count: 0, fault: FAULT });
	},
);

const pipeless = process.platform === 'win32' ? 'Windows has none' : '';
test.skipIf(pipeless !== '' && notRun('raw sound from a named pipe', pipeless))(
	'raw sound comes from a named pipe, too; other sound does not, and nobody waits for a writer then',
	async ({ onTestFinished }) => {
		const folder = mkdtempSync(join(tmpdir(), 'dragoman-input-'));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		const file = join(folder, 'pipe');
		spawnSync('sh', ['-c', 'mkfifo "$0"', file]);
		expect(await read({ file, raw: false })).toMatchObject({ reason: 'it is not a file' });
		const [sound] = await Promise.all([read({ file, raw: true }), writeFile(file, SOUND)]);
		expect(sound).toEqual({ count: 2400, fault: null });
	},
);
