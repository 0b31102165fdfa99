import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wavHead } from '#shared/audio/wav.ts';
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
