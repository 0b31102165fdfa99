import { createRandom } from './random.ts';

/*
 * The loudness of speech, dBFS, one reading each 40 ms: what echoes are looked for in.
 */

/** Loudness of one sentence: syllables, loud and less so, each with its own length. */
function sentence(random: () => number): number[] {
	const out: number[] = [];
	for (let left = 3 + Math.floor(random() * 15); left > 0; left -= 1) {
		const loud = -12 - random() * 14;
		for (let i = 0; i < 2 + random() * 4; i += 1) out.push(loud - random() * 4);
		for (let i = 0; i < random() * 3; i += 1) out.push(-38 - random() * 12);
	}
	return out;
}

/** Sentences with pauses. `seed` makes another speaker. `told` hears where each sentence ends. */
export function speech(seed: number, length: number, told: (end: number) => void = () => {}): number[] {
	const random = createRandom(seed);
	const out: number[] = [];
	while (out.length < length) {
		out.push(...sentence(random));
		told(out.length);
		const pause = 4 + random() * (random() < 0.4 ? 75 : 14);
		for (let i = 0; i < pause; i += 1) out.push(-70);
	}
	return out.slice(0, length);
}

/** A person who keeps speaking, and the voice that begins each sentence a moment after theirs has ended. */
export function conversation(seed: number, length: number): { said: number[]; voice: number[] } {
	const random = createRandom(seed + 1);
	const voice: number[] = [];
	const said = speech(seed, length, (end) => {
		while (voice.length < end + 8) voice.push(-70);
		voice.push(...sentence(random));
	});
	while (voice.length < length) voice.push(-70);
	return { said, voice: voice.slice(0, length) };
}
