import { execFileSync, spawnSync } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MEDIA_ONLY } from '#main/lib/media-programs.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { err, ok } from '#shared/lib/result.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { notRun } from '#test/support/not-run.ts';
import { newFolder, writeSample } from '#test/support/voices.ts';
import { createMediaLength, createSampleRecordings, readSample, wavLength } from './samples.ts';

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

test('counts only the sound in the file, whatever its header claims', async () => {
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

describe('sample file', () => {
	let folder = '';
	beforeEach(() => {
		folder = newFolder();
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	function read(path: string, name?: string) {
		const asked: unknown[] = [];
		const lengthOf = async (...[at, , mimeType]: readonly unknown[]) => asked.push([at, mimeType]) * 1000;
		const sample = readSample({ path, ...(name !== undefined && { name }), recorded: false, lengthOf });
		return { sample, asked };
	}
	const refused = (file: string, reason: string) => err({ kind: 'file-unreadable', file, reason });

	test('inspects a file: name, size, type and duration', async () => {
		const path = writeSample(folder, 'me.wav', 1);
		const { sample, asked } = read(path);
		expect(await sample).toEqual(
			ok({
				path,
				name: 'me.wav',
				bytes: 32_044,
				modifiedMs: expect.any(Number),
				mimeType: 'audio/wav',
				durationMs: 1000,
				recorded: false,
			}),
		);
		expect(asked).toEqual([[path, 'audio/wav']]);
		expect(await read(path, 'Mine.wav').sample).toMatchObject({ value: { name: 'Mine.wav' } });
	});

	test('what the service does not take has no type, and nobody asks how long it is', async () => {
		const path = join(folder, 'x.txt');
		writeFileSync(path, 'words');
		const { sample, asked } = read(path);
		expect(await sample).toMatchObject({ value: { mimeType: '', durationMs: null } });
		expect(asked).toEqual([]);
	});

	test('what cannot be read says why', async () => {
		const path = writeSample(folder);
		mkdirSync(join(folder, 'd.wav'));
		expect(await read(join(folder, 'away.wav')).sample).toEqual(refused('away.wav', 'it does not exist'));
		expect(await read(join(path, 'x.wav')).sample).toEqual(refused('x.wav', 'it cannot be opened'));
		expect(await read(join(folder, 'd.wav')).sample).toEqual(refused('d.wav', 'it is not a file'));
	});

	const pipeless = process.platform === 'win32' ? 'Windows has none' : '';
	test.skipIf(pipeless !== '' && notRun('a named pipe as a sample', pipeless))(
		'a named pipe is refused at once, although nobody writes to it',
		async () => {
			const path = join(folder, 'pipe.wav');
			spawnSync('sh', ['-c', 'mkfifo "$0"', path]);
			expect(await read(path).sample).toEqual(refused('pipe.wav', 'it is not a file'));
		},
	);

	test.each([
		[Object.assign(new Error('x'), { code: 'EACCES' }), 'there is no permission to read it'],
		[Object.assign(new Error('x'), { code: 'ENOENT' }), 'it does not exist'],
		[new Error('x'), 'it cannot be opened'],
		[{ code: 'EACCES' }, 'it cannot be opened'],
		['words', 'it cannot be opened'],
	])('a failure while it is read (%j) is: %s', async (thrown, reason) => {
		const lengthOf = () => Promise.reject(thrown);
		const sample = await readSample({ path: writeSample(folder), recorded: false, lengthOf });
		expect(sample).toEqual(refused('me.wav', reason));
	});

	test.skipIf(process.platform !== 'linux')('the file is let go of, whatever comes of it', async () => {
		const path = writeSample(folder);
		await read(path).sample;
		await read(folder).sample;
		await readSample({ path, recorded: false, lengthOf: () => Promise.reject(new Error('x')) });
		const open = readdirSync('/proc/self/fd')
			.map((fd) => join('/proc/self/fd', fd))
			.filter((fd) => existsSync(fd) && readlinkSync(fd).startsWith(folder));
		expect(open).toEqual([]);
	});
});

describe('recordings', () => {
	let base = '';
	let folder = '';
	beforeEach(() => {
		base = newFolder();
		folder = join(base, 'deep', 'samples');
	});
	afterEach(() => rmSync(base, { recursive: true, force: true }));

	const warned: string[] = [];
	const log = { warn: (message: string) => void warned.push(message) };
	const start = () => createSampleRecordings(folder, async () => 6000, log);
	const files = () => (existsSync(folder) ? readdirSync(folder) : []);
	const MOST = 10_000_000;
	const unknown = err({ kind: 'not-found', what: 'recording' });
	const failed = err({ kind: 'storage-failed', what: 'recording' });

	async function begun(recordings = start()) {
		const id = await recordings.begin('Mine.wav');
		if (!id.ok) throw new Error(id.error.kind);
		return { recordings, id: id.value, path: join(folder, `${id.value}.wav`) };
	}

	describe('a recording', () => {
		test('is a file of its own that only its user can read', async () => {
			const { path } = await begun();
			if (process.platform !== 'win32') {
				expect([statSync(folder).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
			}
			expect(files()).toHaveLength(1);
		});

		test('cannot be begun where there is no folder to be had', async () => {
			writeFileSync(join(base, 'deep'), 'a file');
			expect(await start().begin('Mine')).toEqual(failed);
		});

		test('takes pieces in order, and only of the one that is open', async () => {
			const { recordings, id } = await begun();
			const piece = Buffer.from('abc');
			expect(await recordings.append('another', 0, piece)).toEqual(unknown);
			expect(await recordings.append(id, 0, piece)).toEqual(ok());
			expect(await recordings.append(id, 0, piece)).toEqual(
				err({ kind: 'bug', where: 'recording: piece out of order' }),
			);
			expect(await recordings.append(id, 3, piece)).toEqual(ok());
			expect(await recordings.end('another')).toEqual(unknown);
			expect(await recordings.end(id)).toMatchObject({
				value: { name: 'Mine.wav', bytes: 6, recorded: true },
			});
			expect(await start().append(id, 0, piece)).toEqual(unknown);
			expect(await start().end(id)).toEqual(unknown);
		});

		test('has as many bytes as the service takes, and is erased with one more', async () => {
			const { recordings, id } = await begun();
			expect(await recordings.append(id, 0, new Uint8Array(MOST - 1))).toEqual(ok());
			expect(await recordings.append(id, MOST - 1, new Uint8Array(1))).toEqual(ok());
			expect(files()).toHaveLength(1);
			expect(await recordings.append(id, MOST, new Uint8Array(1))).toEqual(
				err({ kind: 'voice-invalid', fields: [{ field: 'sample', reason: 'too-large' }] }),
			);
			expect(files()).toEqual([]);
			expect(await recordings.append(id, MOST, new Uint8Array(0))).toEqual(unknown);
		});

		test('that is thrown away is erased, also where its file is gone already', async () => {
			const { recordings, id, path } = await begun();
			await recordings.discard('another');
			expect(files()).toHaveLength(1);
			rmSync(path);
			await recordings.discard(id);
			await recordings.discard(id);
			await recordings.discard(null);
			expect(await recordings.append(id, 0, Buffer.from('a'))).toEqual(unknown);
		});

		test('whichever is open is thrown away for null', async () => {
			const { recordings } = await begun();
			await recordings.discard(null);
			expect(files()).toEqual([]);
		});
	});

	describe('a finished one', () => {
		test('is erased by its path, and nothing outside its folder is; twice is once', async () => {
			const { recordings, id, path } = await begun();
			await recordings.append(id, 0, Buffer.from('abc'));
			await recordings.end(id);
			expect(readFileSync(path, 'utf8')).toBe('abc');
			const other = join(base, 'mine.wav');
			writeFileSync(other, '');
			await recordings.remove(other);
			await recordings.remove(path);
			await recordings.remove(path);
			expect([existsSync(other), files()]).toEqual([true, []]);
		});

		test('that cannot be erased is logged, and the others are erased all the same', async () => {
			const { recordings, id, path } = await begun();
			// A folder is refused on every system.
			for (const stuck of [join(folder, 'a.wav'), join(folder, 'z.wav')]) mkdirSync(stuck);
			writeFileSync(join(folder, 'm.wav'), '');
			warned.length = 0;
			await recordings.tidy(new Set());
			expect(files().sort()).toEqual([`${id}.wav`, 'a.wav', 'z.wav'].sort());
			await recordings.remove(join(folder, 'a.wav'));
			rmSync(path);
			mkdirSync(path);
			await recordings.discard(null);
			expect(warned).toEqual(Array(4).fill('a recording could not be erased'));
		});

		test('is tidied away unless somebody needs it or it is being made', async () => {
			await start().tidy(new Set());
			const { recordings, path } = await begun();
			const needed = join(folder, 'needed.wav');
			for (const one of [needed, join(folder, 'left.wav')]) writeFileSync(one, '');
			await recordings.tidy(new Set([needed]));
			expect(
				files()
					.map((name) => join(folder, name))
					.sort(),
			).toEqual([path, needed].sort());
		});
	});
});
