import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { neverRun, wronglyLeft } from './left-out.ts';

const left = (reason: string) => ({ what: 'something', reason });

test('what .ci/run installs is no reason to leave a test out', () => {
	const needed = /^needed=\(([^)]*)\)/m.exec(readFileSync('.ci/run', 'utf8'))?.[1]?.split(/\s+/) ?? [];
	for (const reason of [
		'ffmpeg is not installed',
		'no ffmpeg here',
		'espeak-ng or ffmpeg is not installed',
		'there is no openssl to make a certificate with',
		'certutil is not installed',
		'pulseaudio is not installed',
		'pulseaudio does not answer: it said nothing',
		'parec is not installed',
		'ip is not installed',
		'unshare is not installed',
		'Xvfb is not installed',
		'Xvfb does not start',
		'no Python 3.10 or later',
	])
		expect(wronglyLeft([left(reason)], needed), reason).toEqual([left(reason)]);
});

test('what it does not install is one', () => {
	const reasons = [
		"needs Electron's own shell, and its binary is not here",
		'npm run faults -- --all',
		'/dev/net/tun cannot be opened',
		'the package palabra-ai 1.0 could not be installed: no way to the registry',
		'livekit-server v1.8.4 needs Go 1.26, this is go1.24',
	];
	expect(wronglyLeft(reasons.map(left), ['ffmpeg', 'pulseaudio', 'python3-venv', 'xvfb'])).toEqual([]);
	expect(wronglyLeft(reasons.map(left), ['livekit']).length).toBe(1);
	expect(wronglyLeft([left('ffmpeg is not installed')], [])).toEqual([]);
});

test('what the first pass leaves out is run by the second, or left out again', () => {
	const hidden = { ...left('ffmpeg is not installed'), file: 'src/a.test.ts', bare: true as const };
	const ran = { file: 'src/a.test.ts', name: 'plays', passed: true, skipped: false };
	expect(neverRun([hidden], [])).toEqual([hidden]);
	expect(neverRun([hidden], [{ ...ran, skipped: true }])).toEqual([hidden]);
	expect(neverRun([hidden], [{ ...ran, file: 'src/b.test.ts' }])).toEqual([hidden]);
	expect(neverRun([hidden], [ran])).toEqual([]);
	expect(neverRun([hidden, left('ffmpeg is not installed')], [])).toEqual([]);
});
