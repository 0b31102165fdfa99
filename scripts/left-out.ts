import { existsSync, readFileSync } from 'node:fs';
import type { Seen } from '#test/faults/rows.ts';
import { type LeftOut, NOT_RUN_FILE } from '#test/support/not-run.ts';

/**
 * What a test says when it skips itself for lack of something that `.ci/run` installs, by the name `.ci/run` has for it
 * (a package of Debian, or `livekit`).
 */
const SAID: Readonly<Record<string, RegExp>> = {
	'espeak-ng': /espeak-ng/,
	ffmpeg: /ffmpeg/,
	iproute2: /^ip is not installed/,
	'libnss3-tools': /certutil/,
	livekit: /livekit-server/,
	openssl: /openssl/,
	pulseaudio: /^pulseaudio /,
	'pulseaudio-utils': /^(pactl|parec|paplay|pacat) is not installed/,
	'python3-venv': /^(no Python|no virtual environment|python3 is not installed)/,
	'util-linux': /^unshare is not installed/,
	'test-models': /^npm run test-models /,
	xvfb: /^Xvfb /,
};

/** What the tests of this `npm test` said that they skipped, and why. */
export function readLeftOut(): readonly LeftOut[] {
	if (!existsSync(NOT_RUN_FILE)) return [];
	const lines = readFileSync(NOT_RUN_FILE, 'utf8').trim().split('\n');
	return lines.map((line) => JSON.parse(line) as LeftOut);
}

/** The skipped tests whose requirements are all in `installed`. */
export function wronglyLeft(left: readonly LeftOut[], installed: readonly string[]): readonly LeftOut[] {
	return left.filter(({ reason }) => installed.some((part) => SAID[part]?.test(reason)));
}

/**
 * What the first pass left out and the second neither ran nor left out again, by what the tests said and what the second
 * pass saw: the tests did not skip themselves, or are not found by their names.
 */
export function neverRun(said: readonly LeftOut[], second: readonly Seen[]): readonly LeftOut[] {
	return said.filter(
		({ bare, file, what }) =>
			bare &&
			file !== undefined &&
			!said.some((one) => !one.bare && one.what === what) &&
			!second.some((one) => one.file === file && !one.skipped),
	);
}
