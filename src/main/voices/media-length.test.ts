import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MEDIA_ONLY } from '#main/lib/media-programs.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { notRun } from '#test/support/not-run.ts';
import { newFolder, writeSample } from '#test/support/voice-rig.ts';
import { createMediaLength, wavLength } from './media-length.ts';
import { readSample } from './sample-file.ts';

let folder = '';
beforeEach(() => {
	folder = newFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function lengthOf(bytes: Uint8Array): Promise<number | null> {
	const path = join(folder, 'x.wav');
	writeFileSync(path, bytes);
	const file = await open(path);
	const length = await wavLength(file);
	await file.close();
	return length;
}

const wav = () => Buffer.from(encodeWav(new Float32Array(32_000), 16_000));

test('a WAV says how long it is, also with a chunk before the sound', async () => {
	expect(await lengthOf(wav())).toBe(2000);
	const whole = wav();
	const odd = Buffer.from('LIST\u0003\u0000\u0000\u0000abc\u0000', 'latin1');
	expect(await lengthOf(Buffer.concat([whole.subarray(0, 36), odd, whole.subarray(36)]))).toBe(2000);
});

test('what is not in the file is not counted, whatever its head says', async () => {
	const unknown = wav();
	unknown.writeUInt32LE(0xffff_ffff, 40);
	expect(await lengthOf(unknown)).toBe(2000);
	expect(await lengthOf(wav().subarray(0, 44 + 32_000))).toBe(1000);
	const zero = wav();
	zero.writeUInt32LE(0, 40);
	expect(await lengthOf(zero)).toBe(2000);
});

test('a file that is broken or has no sound has no length', async () => {
	for (const bytes of [
		wav().subarray(0, 44),
		wav().subarray(0, 30),
		Buffer.alloc(0),
		Buffer.from('RIFF....WAVE'),
	])
		expect(await lengthOf(bytes)).toBeNull();
	const noRate = wav();
	noRate.writeUInt32LE(0, 28);
	expect(await lengthOf(noRate)).toBeNull();
	// Chunks without end must not be followed for ever.
	expect(await lengthOf(Buffer.concat([wav().subarray(0, 12), Buffer.alloc(4096)]))).toBeNull();
});

test('a chunk is passed over whole, an odd one with the byte that fills it up, and sixty-three before the sound', async () => {
	const whole = wav();
	const before = (count: number) => {
		const note = Buffer.from('note\u0001\u0000\u0000\u0000x\u0000', 'latin1');
		return Buffer.concat([
			whole.subarray(0, 12),
			...Array<Buffer>(count).fill(note),
			...[whole.subarray(12, 36), whole.subarray(36)],
		]);
	};
	expect(await lengthOf(before(62))).toBe(2000);
	expect(await lengthOf(before(63))).toBeNull();
});

test('a chunk that looks like the format but is cut short is none', async () => {
	const short = Buffer.from('fmt \u0010\u0000\u0000\u0000', 'latin1');
	expect(await lengthOf(Buffer.concat([wav().subarray(0, 12), short]))).toBeNull();
	const other = Buffer.from('JUNK\u0010\u0000\u0000\u000012345678\u0001\u0000\u0000\u00001234', 'latin1');
	expect(await lengthOf(Buffer.concat([wav().subarray(0, 36), other, wav().subarray(36)]))).toBe(2000);
});

describe.skipIf(process.platform === 'win32')('what is no WAV is asked of ffprobe', () => {
	const { PATH } = process.env;
	afterEach(() => {
		process.env['PATH'] = PATH;
	});

	/** Another program in its place, in the shell's words; without any there is none. */
	async function ask(program: string | null, clock = createManualClock(), mimeType = 'audio/mpeg') {
		if (program !== null) {
			writeFileSync(join(folder, 'ffprobe'), `#!/bin/sh\n${program}\n`);
			chmodSync(join(folder, 'ffprobe'), 0o700);
		}
		process.env['PATH'] = program === null ? folder : `${folder}:${PATH}`;
		const path = join(folder, 'x.wav');
		writeFileSync(path, mimeType === 'audio/wav' ? wav() : 'no sound');
		const file = await open(path);
		const length = await createMediaLength(clock)(path, file, mimeType);
		await file.close();
		return length;
	}

	test('with words that name the file as one, and what to say of it', async () => {
		const clock = createManualClock();
		const noted = join(folder, 'asked');
		expect(await ask(`printf '%s\\n' "$@" > ${noted}; echo ' 2.5004 '`, clock)).toBe(2500);
		expect(readFileSync(noted, 'utf8').trim().split('\n')).toEqual([
			...['-v', 'error', ...MEDIA_ONLY],
			...['-show_entries', 'format=duration', '-of', 'csv=p=0'],
			`file:${join(folder, 'x.wav')}`,
		]);
		expect(clock.pending).toBe(0);
	});

	test.each(['echo N/A', 'echo 0', 'echo -1', 'echo Infinity', 'exit 1', null])(
		'%s is no length',
		async (program) => {
			expect(await ask(program)).toBeNull();
		},
	);

	test('which may say as much as it likes', async () => {
		expect(await ask(`printf '%0300d' 7; echo`)).toBeNull();
	});

	test('but not of a WAV that says it itself', async () => {
		expect(await ask('echo 9', createManualClock(), 'audio/wav')).toBe(2000);
		expect(await ask('echo 9')).toBe(9000);
	});

	test('for 5 s, and not a ms less', async () => {
		const clock = createManualClock();
		let length: number | null | undefined;
		const asked = ask('exec sleep 60', clock).then((ms) => {
			length = ms;
		});
		while (clock.pending === 0) await new Promise((done) => setImmediate(done));
		await clock.run(4999);
		expect([clock.pending, length]).toEqual([1, undefined]);
		await clock.run(1);
		await asked;
		expect([clock.pending, length]).toEqual([0, null]);
	});
});

function hasFfmpeg(): boolean {
	try {
		execFileSync('ffmpeg', ['-version'], { stdio: 'ignore' });
		execFileSync('ffprobe', ['-version'], { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}
const isMissing =
	!hasFfmpeg() && notRun('types and lengths of real MP3, M4A, FLAC, WebM, MP4', 'no ffmpeg here');

test.skipIf(isMissing).each([
	['a.mp3', 'audio/mpeg', []],
	['a.m4a', 'audio/x-m4a', []],
	['a.flac', 'audio/flac', []],
	['a.webm', 'video/webm', ['-c:a', 'libopus']],
	['a.mp4', 'video/mp4', []],
	['a.mpg', 'video/mpeg', ['-c:a', 'mp2']],
	['a.ogg', '', ['-c:a', 'libopus']],
	['a.mkv', '', ['-c:a', 'libopus']],
])('%s as ffmpeg writes it is %s', async (name, mimeType, codec) => {
	const source = writeSample(folder, 'source.wav', 2);
	const path = join(folder, name);
	execFileSync('ffmpeg', ['-v', 'error', '-i', source, ...codec, path]);
	const sample = await readSample({
		path,
		recorded: false,
		lengthOf: createMediaLength(createSystemClock()),
	});
	expect(sample).toMatchObject({ ok: true, value: { name, mimeType } });
	const durationMs = sample.ok ? sample.value.durationMs : null;
	if (mimeType === '') expect(durationMs).toBeNull();
	else expect(Math.abs((durationMs ?? 0) - 2000)).toBeLessThan(200);
});
