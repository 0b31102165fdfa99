import { existsSync, readFileSync } from 'node:fs';
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

/** What was said in the first pass of a file of which no test skipped itself: nothing of it would run in the second. */
export function withoutSkip(
	left: readonly LeftOut[],
	skipped: readonly { readonly file: string }[],
): readonly LeftOut[] {
	return left.filter(
		({ bare, file }) => bare && file !== undefined && !skipped.some((one) => one.file === file),
	);
}
