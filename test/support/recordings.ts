import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWavHead, wavOf } from '#shared/sound/wav.ts';
import type { Sound } from '#stand-in/drive/sound.ts';

/** 25 s of a professional speaker, from Debian's asterisk-core-sounds-en-g722 (CC-BY-SA 3.0). */
const DEBIAN_PROMPT = '/usr/share/asterisk/sounds/en_US_f_Allison/conf-adminmenu-162.g722';
const SHIPPED = 'resources/speech/en-conversation.wav';

/**
 * A WAV of human speech to play as microphone: Debian's recording where it and ffmpeg are installed,
 * otherwise the synthetic conversation that ships with the app.
 */
export function speechWav(): { path: string; human: boolean } {
	if (process.env.DRAGOMAN_TEST_BARE) return { path: SHIPPED, human: false };
	const folder = join('node_modules', '.cache', 'speech');
	const path = join(folder, 'conf-adminmenu-162.wav');
	if (!existsSync(path) && existsSync(DEBIAN_PROMPT)) {
		mkdirSync(folder, { recursive: true });
		const args = ['-y', '-loglevel', 'error', '-f', 'g722', '-i', DEBIAN_PROMPT, '-ar', '48000', '-ac', '1'];
		spawnSync('ffmpeg', [...args, path]);
	}
	return existsSync(path) ? { path, human: true } : { path: SHIPPED, human: false };
}

/**
 * Mono s16 WAV that sounds like speech to a level meter: voiced bursts of `phraseMs` with pauses of
 * `pauseMs`, a gliding pitch with overtones. For machines without recordings.
 */
export function speechLikeWav(options: { seconds: number; phraseMs?: number; pauseMs?: number }): Uint8Array {
	const rate = 48_000;
	const { seconds, phraseMs = 1200, pauseMs = 800 } = options;
	const samples = seconds * rate;
	const pcm = new Int16Array(samples);
	let phase = 0;
	for (let index = 0; index < samples; index += 1) {
		const ms = (index / rate) * 1000;
		const inPhrase = ms % (phraseMs + pauseMs) < phraseMs;
		const syllable = Math.max(0, Math.sin((2 * Math.PI * ms) / 220));
		phase += (2 * Math.PI * (140 + 30 * Math.sin(ms / 300))) / rate;
		let voice = 0;
		for (let overtone = 1; overtone <= 12; overtone += 1) voice += Math.sin(phase * overtone) / overtone;
		if (inPhrase) pcm[index] = Math.round(9000 * syllable * voice);
	}
	return wavOf(pcm, rate);
}

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
	const { rate, frames } = framesOf(readFileSync(file));
	const side = (channel: number) => Float32Array.from(frames, (frame) => frame[channel] ?? 0);
	return { rate, said: side(0), translated: side(1) };
}

/** A WAV of 16 bits as mono, channels averaged. */
export function readWav(file: Uint8Array): Sound {
	const { rate, frames } = framesOf(file);
	const mono = (frame: readonly number[]) => frame.reduce((sum, sample) => sum + sample, 0) / frame.length;
	return { rate, samples: Float32Array.from(frames, mono) };
}

/** The samples of each channel at each moment, -1 to 1. */
function framesOf(file: Uint8Array): {
	readonly rate: number;
	readonly frames: readonly (readonly number[])[];
} {
	const read = readWavHead(file);
	if (!read.ok || !read.value || read.value.bits !== 16) throw new Error('no WAV of 16 bits');
	const { rateHz, channels, dataAt, bytes, frameBytes } = read.value;
	const length = Math.floor(Math.min(bytes ?? file.length, file.length - dataAt) / frameBytes);
	const view = new DataView(file.buffer, file.byteOffset + dataAt);
	const frames = Array.from({ length }, (_, index) =>
		Array.from(
			{ length: channels },
			(__, channel) => view.getInt16(index * frameBytes + channel * 2, true) / 32_768,
		),
	);
	return { rate: rateHz, frames };
}

/** How many seconds contain sound, in steps of a tenth. */
export function loud(samples: Float32Array, rate: number): number {
	const piece = Math.round(rate / 10);
	let count = 0;
	for (let at = 0; at + piece <= samples.length; at += piece)
		if (samples.subarray(at, at + piece).some((sample) => Math.abs(sample) > 0.02)) count += 1;
	return count / 10;
}
