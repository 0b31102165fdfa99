import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { notRun } from '#test/support/not-run.ts';
import { MEDIA_ONLY, programPath } from './media-programs.ts';

let folder = '';
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-media-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ffmpeg = programPath('ffmpeg');

test.skipIf(process.platform === 'win32')('a program is found in whole folders of PATH alone', () => {
	mkdirSync(join(folder, 'ffmpeg'));
	const [first, second] = [join(folder, 'first'), join(folder, 'second')];
	for (const place of [first, second]) mkdirSync(place);
	writeFileSync(join(first, 'ffmpeg'), 'no program');
	chmodSync(join(first, 'ffmpeg'), 0o644);
	writeFileSync(join(second, 'ffmpeg'), '#!/bin/sh');
	chmodSync(join(second, 'ffmpeg'), 0o755);
	expect(programPath('ffmpeg', { PATH: `.::${folder}:${first}:${second}` })).toBe(join(second, 'ffmpeg'));
	const before = process.cwd();
	process.chdir(second);
	expect(programPath('ffmpeg', { PATH: `.::second:${first}` })).toBeNull();
	process.chdir(before);
	expect(programPath('ffmpeg', {})).toBeNull();
});

const missing = ffmpeg === null && notRun('which files ffmpeg may read', 'ffmpeg is not installed');
const run = (...args: readonly string[]) => spawnSync(ffmpeg ?? '', ['-v', 'error', ...args]);
const read = (path: string) => run(...MEDIA_ONLY, '-i', `file:${path}`, '-f', 's16le', '-').stdout.length;

// A busy machine takes seconds to start it.
test.skipIf(missing)(
	'ffmpeg reads files with sound, and none that only name others',
	{ timeout: 60_000 },
	() => {
		const kinds = ['flac', 'm4a', 'mka', 'mp3', 'mp4', 'ogg', 'wav', 'webm'];
		const paths = kinds.map((kind) => join(folder, `talk.${kind}`));
		run('-f', 'lavfi', '-i', 'sine=duration=1:sample_rate=48000', ...paths);
		expect(paths.filter((path) => read(path) < 80_000)).toEqual([]);
		const talk = join(folder, 'playlist.m4a');
		for (const text of [
			'#EXTM3U\n#EXTINF:1,\ntalk.wav\n#EXT-X-ENDLIST\n',
			"ffconcat version 1.0\nfile 'talk.wav'\n",
		]) {
			writeFileSync(talk, text);
			expect(read(talk)).toBe(0);
		}
	},
);
