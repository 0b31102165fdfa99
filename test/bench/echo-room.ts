import { RATE } from './echo-speech.ts';

/** A loudspeaker, a room and a microphone. */
export interface Room {
	/** Until the direct sound arrives, s. */
	readonly delayS: number;
	/** Until the reverberation has lost 60 dB, s. */
	readonly diesInS: number;
	/** Direct sound against all reverberation, dB. */
	readonly directDb: number;
	/** The direct sound against what was played, dB. */
	readonly gainDb: number;
	/** The microphone's own and the room's, dBFS. */
	readonly noiseDb: number;
}

const REFLECTIONS = 120;

export function anyRoom(random: () => number): Room {
	return {
		delayS: 0.6 * random(),
		diesInS: 0.15 + 0.6 * random(),
		directDb: 8 - 12 * random(),
		gainDb: -3 - 22 * random(),
		noiseDb: anyNoise(random),
	};
}

export function anyNoise(random: () => number): number {
	return -75 + 25 * random();
}

/** What the microphone hears of what is played. */
export function heardIn(room: Room, played: Float32Array, random: () => number): Float32Array {
	const heard = new Float32Array(played.length);
	const add = (shift: number, gain: number) => {
		for (let at = shift; at < heard.length; at += 1) {
			heard[at] = (heard[at] ?? 0) + gain * (played[at - shift] ?? 0);
		}
	};
	const direct = 10 ** (room.gainDb / 20);
	const delay = Math.floor(room.delayS * RATE);
	const reflections = Array.from({ length: REFLECTIONS }, () => {
		const afterS = random() * room.diesInS;
		return { afterS, gain: (2 * random() - 1) * 10 ** ((-3 * afterS) / room.diesInS) };
	});
	const energy = reflections.reduce((sum, { gain }) => sum + gain * gain, 0);
	const scale = direct * Math.sqrt(10 ** (-room.directDb / 10) / energy);
	add(delay, direct);
	for (const { afterS, gain } of reflections) add(delay + 16 + Math.floor(afterS * RATE), gain * scale);
	return narrowed(heard);
}

/** A small loudspeaker has no bass, and little treble. */
function narrowed(samples: Float32Array): Float32Array {
	let [low, high, before] = [0, 0, 0];
	return samples.map((sample) => {
		low += 0.45 * (sample - low);
		high = 0.97 * (high + low - before);
		before = low;
		return high;
	});
}

/** Adds continuous noise. */
export function withNoise(samples: Float32Array, noiseDb: number, random: () => number): Float32Array {
	const gain = 10 ** (noiseDb / 20) * Math.sqrt(3);
	return samples.map((sample) => sample + gain * (2 * random() - 1));
}
