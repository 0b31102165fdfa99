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

/** A test that skipped itself, and why. */
export interface LeftOut {
	readonly what: string;
	readonly reason: string;
}

/** The skipped tests whose requirements are all in `installed`. */
export function wronglyLeft(left: readonly LeftOut[], installed: readonly string[]): readonly LeftOut[] {
	return left.filter(({ reason }) => installed.some((part) => SAID[part]?.test(reason)));
}
