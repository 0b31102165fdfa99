/** The mains and its overtones, Hz: 50 in most of the world, 60 in the Americas and parts of Asia. */
const MAINS = [50, 60] as const;
const OVERTONES = 6;
const WINDOW_MS = 100;
/** Quieter hum is inaudible. */
const AUDIBLE = 10 ** (-55 / 20);
/** The share of the sound between words from which on it is hum rather than room noise. */
const SHARE = 0.5;
const FULL_SCALE = 32_768;

/**
 * Whether a recording (mono 16 bit) hums: the sound between the words is mostly mains and its overtones, and audible.
 */
export function hums(samples: Int16Array, rateHz: number): boolean {
	const length = Math.round((rateHz * WINDOW_MS) / 1000);
	if (length === 0 || samples.length < length) return false;
	const windows: Int16Array[] = [];
	for (let from = 0; from + length <= samples.length; from += length)
		windows.push(samples.subarray(from, from + length));
	const quiet = windows
		.map((window) => ({ window, power: powerOf(window) }))
		.sort((one, other) => one.power - other.power)
		.slice(0, Math.max(1, Math.floor(windows.length / 4)));
	const total = quiet.reduce((sum, { power }) => sum + power, 0) / quiet.length;
	if (Math.sqrt(total) < AUDIBLE) return false;
	return MAINS.some((mains) => {
		let hum = 0;
		for (const { window } of quiet)
			for (let overtone = 1; overtone <= OVERTONES; overtone += 1)
				hum += powerAt(window, (mains * overtone) / rateHz);
		return hum / quiet.length > total * SHARE;
	});
}

function powerOf(samples: Int16Array): number {
	let sum = 0;
	for (const sample of samples) sum += (sample / FULL_SCALE) ** 2;
	return sum / samples.length;
}

/** Mean power of the sine at `turns` per sample (Goertzel). */
function powerAt(samples: Int16Array, turns: number): number {
	const twice = 2 * Math.cos(2 * Math.PI * turns);
	let [before, beforeThat] = [0, 0];
	for (const sample of samples) {
		const now = sample / FULL_SCALE + twice * before - beforeThat;
		beforeThat = before;
		before = now;
	}
	const squared = before ** 2 + beforeThat ** 2 - twice * before * beforeThat;
	return (2 * squared) / samples.length ** 2;
}
