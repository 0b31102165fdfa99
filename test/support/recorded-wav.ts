import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The only recording of a conversation in this folder: its name holds the time. */
export function recordingIn(folder: string): string {
	const [name, ...others] = readdirSync(folder).filter((file) => /^Conversation .*\.wav$/.test(file));
	if (!name || others.length > 0) throw new Error(`${others.length + (name ? 1 : 0)} recordings`);
	return join(folder, name);
}

/** Left and right of a recorded conversation, −1 to 1; also while it is being written. */
export function channels(file: string): {
	readonly rate: number;
	readonly said: Float32Array;
	readonly translated: Float32Array;
} {
	const bytes = readFileSync(file);
	const rate = bytes.readUInt32LE(24);
	const length = Math.floor(bytes.readUInt32LE(40) / 4);
	const side = (offset: number) =>
		Float32Array.from({ length }, (_, at) => bytes.readInt16LE(44 + at * 4 + offset) / 32_768);
	return { rate, said: side(0), translated: side(2) };
}

/** How many seconds contain sound, in steps of a tenth. */
export function loud(samples: Float32Array, rate: number): number {
	const piece = Math.round(rate / 10);
	let count = 0;
	for (let at = 0; at + piece <= samples.length; at += piece)
		if (samples.subarray(at, at + piece).some((sample) => Math.abs(sample) > 0.02)) count += 1;
	return count / 10;
}
