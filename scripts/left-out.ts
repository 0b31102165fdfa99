import { existsSync, readFileSync } from 'node:fs';
import type { Seen } from '#test/faults/rows.ts';
import { type LeftOut, NOT_RUN_FILE } from '#test/support/not-run.ts';

/**
 * Patterns of the reason with which a test skips itself because something is missing that `.ci/run` installs, by
 * its name in `.ci/run` (a Debian package, or `livekit`).
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

/** The tests that were skipped in this `npm test`, with their reasons. */
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
 * Tests that the first pass skipped and the second neither ran nor skipped again, according to the tests'
 * messages and the report of the second pass: they did not skip themselves, or cannot be found by name.
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
