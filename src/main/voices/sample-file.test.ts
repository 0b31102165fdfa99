import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import { notRun } from '#test/support/not-run.ts';
import { newFolder, writeSample } from '#test/support/voice-rig.ts';
import { readSample } from './sample-file.ts';

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

test('a file is looked at: its name, its size, what it is and how long', async () => {
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
