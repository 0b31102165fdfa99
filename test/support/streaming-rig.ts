import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { socketAddress } from '#main/streaming/addresses.ts';
import { createSockets, type Sockets } from '#main/streaming/socket.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { SandboxAddresses } from '#sandbox/sandbox.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { resample } from '#shared/sound/resampler.ts';
import { floatToS16 } from '#shared/sound/s16le.ts';
import { readWav } from '#test/support/recordings.ts';

/** A log that keeps every line, to look for what must not be there. */
export interface KeptLog extends Logger {
	readonly lines: string[];
}

export function keepLog(): KeptLog {
	const lines: string[] = [];
	const write = (message: string, facts?: object) =>
		void lines.push(`${message} ${JSON.stringify(facts ?? {})}`);
	return { lines, error: write, warn: write, info: write, debug: write };
}

/** What the streaming engines need, towards a sandbox. */
export function streamingParts(
	addresses: SandboxAddresses,
	options: { key?: string; clock?: Clock; log?: Logger } = {},
) {
	const clock = options.clock ?? createSystemClock();
	const log = options.log ?? keepLog();
	const sockets: Sockets = createSockets({
		clock,
		log,
		key: () => options.key ?? addresses.key,
		checkAddress: () => null,
		randomHash: () => randomBytes(16).toString('hex'),
	});
	const places = { restBase: addresses.api, publicBase: 'https://example.com', named: addresses };
	const address = (product: 's2s' | 'stt' | 'tts') => () => socketAddress(product, places);
	return { sockets, clock, log, random: Math.random, address };
}

/** The first `seconds` of the English conversation, 24 kHz mono. */
export function conversationPcm(seconds: number): Int16Array {
	const sound = readWav(readFileSync('resources/speech/en-conversation.wav'));
	const cut = resample(sound.samples.subarray(0, Math.round(seconds * sound.rate)), sound.rate, 24_000);
	const samples = new Int16Array(cut.length);
	floatToS16(cut, samples);
	return samples;
}

/** Gives sound to an engine as a microphone would: 20 ms at a time, in real time. Resolves when all was given. */
export async function speakInto(to: { audio(pcm: Int16Array): void }, pcm: Int16Array): Promise<void> {
	const startMs = performance.now();
	for (let given = 0; given < pcm.length; ) {
		await new Promise((done) => setTimeout(done, 20));
		const dueSamples = Math.min(pcm.length, Math.floor((performance.now() - startMs) * 24));
		to.audio(pcm.subarray(given, dueSamples));
		given = dueSamples;
	}
}
